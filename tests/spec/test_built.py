"""Products of one's own specs are run only as they were built."""

from __future__ import annotations

import hashlib
import json
import py_compile
import sys
from pathlib import Path

import pytest

from lmparse.errors import UnknownFormatError
from lmparse.spec import catalog

LAYOUTS = """\
from lmparse.spec.layout import Layout

LAYOUTS: dict[str, Layout] = {"acme_a": Layout(id="acme_a", fields=(), width=0)}
"""
PARSER = """\
from kaitaistruct import KaitaiStruct


class AcmeA(KaitaiStruct):
    pass
"""
HARM = "\nopen({!r}, 'w')\n"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder of products, with the hashes of its modules."""
    folder = tmp_path / "out"
    (folder / "debug").mkdir(parents=True)
    files = {"layouts.py": LAYOUTS, "acme_a.py": PARSER, "debug/acme_a.py": PARSER}
    files |= dict.fromkeys(("__init__.py", "debug/__init__.py"), "")
    for name, text in files.items():
        (folder / name).write_text(text)
    state(folder)
    return folder


def state(folder: Path) -> None:
    """Write the manifest of the files as they are."""
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.py")}
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    own = {name: hash_ for name, hash_ in hashes.items() if "acme" in name}
    shared = {name: hash_ for name, hash_ in hashes.items() if name not in own}
    (folder / "MANIFEST.json").write_text(json.dumps({"specs": {"acme_a": {"outputs": own}}, "outputs": shared}))


def refused(out: Path, match: str) -> None:
    with pytest.raises(UnknownFormatError, match=match) as caught:
        assert catalog.load(f"{out}/acme_a").debug_parser
    assert (caught.value.code, "lmparse build" in str(caught.value.hint)) == ("LMP-S011", True)
    assert not (out / "harm").exists()


def test_what_was_built_is_loaded(out: Path) -> None:
    spec = catalog.load(f"{out}/acme_a")
    assert (spec.parser.__name__, spec.debug_parser.__name__, spec.layout.width) == ("AcmeA", "AcmeA", 0)


@pytest.mark.parametrize("name", ["layouts.py", "acme_a.py", "debug/acme_a.py", "debug/__init__.py"])
def test_a_file_that_was_changed_is_not_run(out: Path, name: str) -> None:
    with (out / name).open("a") as file:
        file.write(HARM.format(str(out / "harm")))
    refused(out, "is not as it was built: another SHA-256")


def test_compiled_code_beside_it_is_not_run(out: Path) -> None:
    harm = out.parent / "harm.py"
    harm.write_text(LAYOUTS + HARM.format(str(out / "harm")))
    compiled = out / "__pycache__" / f"layouts.{sys.implementation.cache_tag}.pyc"
    compiled.parent.mkdir()
    py_compile.compile(str(harm), str(compiled), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    assert catalog.load(f"{out}/acme_a").layout.width == 0
    assert not (out / "harm").exists()


@pytest.mark.parametrize("manifest", [None, "", "{", "[]", '{"specs": []}', '{"specs": {}, "outputs": {}}', "[" * 5000])
def test_without_a_manifest_nothing_is_run(out: Path, manifest: str | None) -> None:
    path = out / "MANIFEST.json"
    path.unlink() if manifest is None else path.write_text(manifest)
    refused(out, "is not as it was built: ")


@pytest.mark.parametrize(
    "text", ["x =", "raise OSError('x')", "raise SystemExit(3)", "LAYOUTS = {0: unknown}", "1 / 0", "import nowhere"]
)
def test_a_broken_layouts_py_has_a_code(out: Path, text: str) -> None:
    (out / "layouts.py").write_text(text)
    state(out)
    refused(out, "layouts is not as it was built: ")


@pytest.mark.parametrize(
    "text", ["", "AcmeA = 5", "class AcmeA: pass", "from kaitaistruct import KaitaiStruct as AcmeA"]
)
@pytest.mark.parametrize("name", ["acme_a.py", "debug/acme_a.py"])
def test_a_module_without_a_parser_has_a_code(out: Path, name: str, text: str) -> None:
    (out / name).write_text(text)
    state(out)
    refused(out, "acme_a.py: has no class AcmeA of a parser")


@pytest.mark.parametrize("name", ["a\0b", "/tmp/a\0b", "./\0"])
def test_a_name_with_a_nul_is_the_name_of_no_spec(name: str) -> None:
    with pytest.raises(UnknownFormatError) as caught:
        catalog.load(name)
    assert caught.value.code == "LMP-S001"
