"""What lies in generated/ belongs to the specs, and is fit for use.

That it is what the specs give, byte for byte, `make test` asks of `build.py --check` before any test.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "generated"
REPAIR = "run: python build.py generate"
MANIFEST = json.loads((GENERATED / "MANIFEST.json").read_text())


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_manifest_names_every_file() -> None:
    named = {name for entry in (*MANIFEST["specs"].values(), MANIFEST) for name in entry["outputs"]}
    paths = [path for path in GENERATED.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    there = {path.relative_to(GENERATED).as_posix() for path in paths}
    assert named
    assert named | {"MANIFEST.json"} == there, REPAIR


@pytest.mark.parametrize("spec_id", sorted(MANIFEST["specs"]))
def test_hashes_are_those_of_the_manifest(spec_id: str) -> None:
    entry = MANIFEST["specs"][spec_id]
    assert sha256(ROOT / "formats" / entry["path"]) == entry["sha256"], REPAIR
    for name, stated in entry["outputs"].items():
        assert sha256(GENERATED / name) == stated, REPAIR


@pytest.mark.parametrize("spec_id", sorted(MANIFEST["specs"]))
def test_parser_names_spec_hash_and_compiler(spec_id: str) -> None:
    entry = MANIFEST["specs"][spec_id]
    for parser in (f"{spec_id}.py", f"debug/{spec_id}.py"):
        first, second, third = (GENERATED / parser).read_text().splitlines()[:3]
        assert f"formats/{entry['path']}" in first
        assert entry["sha256"] in second
        assert f"{MANIFEST['compiler']['name']} {MANIFEST['compiler']['version']}" in third


def test_stubs_say_what_the_parsers_have(tmp_path: Path) -> None:
    """A strict type check of code that uses a parser finds its fields, and one that does not exist."""
    (tmp_path / "use.py").write_text(
        "from lmparse._generated.bmc_lldf import BmcLldf\n"
        "from lmparse._generated.bmc_dicl import BmcDicl\n"
        "record = BmcLldf.from_bytes(b'')\n"
        "length: int = record.length\n"
        "owner: bytes = record.table_owner\n"
        "epoch: bytes = record.log_lrsn.epoch\n"
        "keys: list[BmcDicl.KeyColumn] = BmcDicl.from_bytes(b'').dicl_key_info\n"
        "nothing = record.no_such_field\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "use.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        'use.py:8: error: "BmcLldf" has no attribute "no_such_field"  [attr-defined]'
    ], done.stdout + done.stderr
