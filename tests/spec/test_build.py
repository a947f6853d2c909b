"""The build step: what it makes, and what it says of differences and of its compiler."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from spec.build_step import build, texts

from lmparse.errors import RecordError
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.spec.build import compiler
from lmparse.spec.layout import Layout


def test_a_spec_of_ones_own_is_built_with_what_it_imports(own: Path, tmp_path: Path) -> None:
    done = build("generate", "--formats", own, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert set(texts(tmp_path / "out")) == {
        "MANIFEST.json", "__init__.py", "layouts.py",
        "acme_reading.py", "acme_reading.pyi", "common_timestamp17.py", "common_timestamp17.pyi",
        "debug/__init__.py", "debug/acme_reading.py", "debug/common_timestamp17.py",
    }  # fmt: skip
    assert b"from . import common_timestamp17\n" in texts(tmp_path / "out")["acme_reading.py"]
    with pytest.raises(RecordError) as caught:
        RecordReader(catalog.load(str(tmp_path / "out" / "acme_reading"))).parse(b"\0\1\xd62026")
    assert (caught.value.field, caught.value.field_offset) == ("taken", 3)


RICH = """\
meta:
  id: acme_log
  title: Log of a meter
  license: CC0-1.0
  ks-version: '0.11'
  imports:
    - /acme/acme_codes
  endian: be
  bit-endian: be
doc: Whatever the compiler allows.
doc-ref: 'Meters, "Log"'
params:
  - {id: kind, type: u1, enum: acme_codes::kind}
  - {id: stream, type: io}
seq:
  - {id: magic, contents: [LOG, 0]}
  - {id: high, type: b4}
  - {id: acme_codes, type: u1, enum: acme_codes::kind}
  - {id: text, size: 2 * 4, type: str, encoding: ASCII}
  - {id: part, type: outer::inner}
  - {id: node, type: node}
  - {id: many, type: outer, repeat: expr, repeat-expr: 1}
  - {id: late, type: u2}
instances:
  half: {value: part.x / 2.0}
  is_gas: {value: acme_codes == acme_codes::kind::gas}
  same: {value: acme_codes}
  first: {value: many.first, if: is_gas}
types:
  outer:
    seq:
      - {id: one, type: inner}
      - {id: state, type: u1, enum: state}
      - id: choice
        size: 2
        type:
          switch-on: state
          cases:
            'state::on': inner
    enums:
      state:
        1: {id: 'on', doc: It runs}
    types:
      inner:
        seq:
          - {id: x, type: s2le}
  node:
    seq:
      - {id: more, type: u1}
      - {id: next, type: node, if: more == 1}
"""
CODES = """\
meta:
  id: acme_codes
  title: Codes
  license: CC0-1.0
  ks-version: '0.11'
doc: Codes.
doc-ref: 'Meters, "Codes"'
enums:
  kind:
    1: gas
    '0x20000000000001': power
"""


@pytest.fixture
def rich(own: Path, tmp_path: Path) -> Path:
    """What is built from a spec with nested, recursive and imported names."""
    (own / "acme" / "acme_log.ksy").write_text(RICH)
    (own / "acme" / "acme_codes.ksy").write_text(CODES)
    done = build("generate", "--formats", own, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    return tmp_path / "out"


def test_layouts_follow_the_compilers_rules(rich: Path) -> None:
    names: dict[str, dict[str, Layout]] = {}
    exec((rich / "layouts.py").read_text(), names)
    layouts = names["LAYOUTS"]
    assert [(field.id, field.offset, field.width, field.kind, field.type) for field in layouts["acme_log"]] == [
        ("magic", 0, 4, "bytes", None),
        ("high", 4, None, "uint", None),
        ("acme_codes", 5, 1, "uint", None),  # on the next whole byte
        ("text", 6, 8, "str", None),
        ("part", 14, 2, "struct", "acme_log.outer.inner"),
        ("node", 16, None, "struct", "acme_log.node"),  # a node in a node: the data says how many
        ("many", None, None, "struct", "acme_log.outer"),
        ("late", None, 2, "uint", None),
    ]
    assert [(code.value, code.id) for code in layouts["acme_log"]["acme_codes"].codes] == [
        (1, "gas"),
        ((1 << 53) + 1, "power"),
    ]
    assert layouts["acme_log.outer"].width == 5
    assert layouts["acme_log.outer"]["choice"].cases == ("acme_log.outer.inner",)
    assert [code.doc for code in layouts["acme_log.outer"]["state"].codes] == ["It runs"]
    assert layouts["acme_log"].params == ("kind", "stream")


USE = """\
from io import BytesIO
from kaitaistruct import KaitaiStream
from out.acme_codes import AcmeCodes
from out.acme_log import AcmeLog

DATA = b"LOG\\0" b"\\xf0" b"\\1" b"readings" b"\\2\\0" b"\\0" b"\\3\\0\\1\\4\\0" b"\\0\\5"
log = AcmeLog(AcmeCodes.Kind.gas, None, KaitaiStream(BytesIO(DATA)))
kind: AcmeCodes.Kind | int = log.acme_codes
text: str = log.text
x: int = log.part.x
many: list[AcmeLog.Outer] = log.many
choice: AcmeLog.Outer.Inner | bytes = many[0].choice
assert isinstance(choice, AcmeLog.Outer.Inner)
assert (kind, text, x, choice.x, log.late) == (AcmeCodes.Kind.gas, "readings", 2, 4, 5)
half: float = log.half
is_gas: bool = log.is_gas
same: AcmeCodes.Kind | int = log.same
first: AcmeLog.Outer | None = log.first
assert (half, is_gas, same, first) == (1.0, True, kind, many[0])
"""


def test_parsers_and_stubs_are_fit_for_use(rich: Path) -> None:
    """What a strict type check of the stubs and of their use accepts also runs."""
    folder = rich.parent
    (folder / "use.py").write_text(USE)
    stubs = [str(path.relative_to(folder)) for path in sorted(rich.glob("*.pyi"))]
    strict = ["mypy", "--strict", "--no-error-summary", "--disable-error-code=import-untyped"]
    for command in ([*strict, "use.py", *stubs], ["use"]):
        done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("damage", ["changed", "missing", "surplus"])
def test_check_says_what_differs_and_how_to_repair_it(own: Path, tmp_path: Path, damage: str) -> None:
    out = tmp_path / "out"
    build("generate", "--formats", own, "--out", out)
    assert build("--check", "--formats", own, "--out", out).returncode == 0
    if damage == "changed":
        (out / "layouts.py").write_text("LAYOUTS = {}\n")
    elif damage == "missing":
        (out / "layouts.py").unlink()
    else:
        (out / "old.py").write_text("")
    done = build("--check", "--formats", own, "--out", out)
    assert done.returncode == 1
    assert ("out/old.py" if damage == "surplus" else "out/layouts.py") + " is not what the specs give" in done.stderr
    assert "python build.py generate" in done.stderr


def test_specs_of_ones_own_do_not_replace_the_projects(own: Path) -> None:
    for arguments in (["generate"], ["--check"]):
        done = build(*arguments, "--formats", own)
        assert done.returncode == 2
        assert "give --out as well" in done.stderr


def test_without_the_compiler_nothing_is_compared(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build("generate", "--formats", own, "--out", tmp_path / "out")
    monkeypatch.setattr(compiler, "CACHE", tmp_path / "none")
    monkeypatch.setattr(compiler, "_from_registry", lambda folder: None)
    done = build("check", "--formats", own, "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot be fetched" in done.stderr


def test_another_compiler_in_the_cache_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nor do the hashes of the manifest stand in for it: somebody has to look."""
    monkeypatch.setattr(compiler, "CACHE", tmp_path)
    (tmp_path / f"{compiler.NAME}-{compiler.VERSION}.js").write_text("anything")
    with pytest.raises(compiler.CompilerUnavailable, match=r"is not kaitai-struct-compiler 0\.11\.0: its SHA-256 is"):
        compiler.Compiler()


def test_the_compiler_is_fetched_and_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(compiler, "CACHE", tmp_path / "cache")
    assert compiler.fetched().parent == tmp_path / "cache"
    monkeypatch.setattr(compiler, "CACHE", tmp_path / "other")
    monkeypatch.setattr(compiler, "SHA256", "0" * 64)
    with pytest.raises(compiler.CompilerUnavailable, match="what was fetched is not"):
        compiler.fetched()
    assert not list((tmp_path / "other").iterdir())


def test_keys_of_the_compiler_that_change_nothing_are_taken(tmp_path: Path) -> None:
    (tmp_path / "acme_a.ksy").write_text("meta: {id: acme_a, ks-debug: false, ks-opaque-types: false}\nseq: []\n")
    assert build("lint", "--formats", tmp_path).returncode == 0
