"""The matrix: every construct of Kaitai Struct is read alike by the bare parser and both engines, or is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from constructs.readers import Built, compare
from lmparse.columnar import schemas
from lmparse.columnar.record_plan import RecordPlan
from lmparse.logs.open import open_file
from lmparse.logs.plan import planned
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.spec.build.products import make
from lmparse.spec.build.specs import SpecError

MATRIX: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("matrix.yaml").read_text())
_BODY = ("seq", "instances", "types", "enums", "params")


def ksy(name: str, entry: dict[str, Any]) -> str:
    """The text of a spec of the matrix."""
    meta = {"id": f"m_{name}", "endian": "be", "encoding": "UTF-8"} | entry.get("meta", {})
    meta = {key: value for key, value in meta.items() if value is not None}
    body = {key: entry[key] for key in _BODY if key in entry}
    return yaml.safe_dump({"meta": meta} | body, sort_keys=False, allow_unicode=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matrix")
    (folder / "m").mkdir()
    for name, entry in MATRIX.items():
        if "refused" not in entry:
            (folder / "m" / f"m_{name}.ksy").write_text(ksy(name, entry))
    out = folder / "of_the_matrix"
    out.mkdir()
    for name, text in make(folder, "python", None).items():
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text(text)
    return folder


def of(folder: Path, name: str) -> Built:
    return Built(folder / "m" / f"m_{name}.ksy", folder / "of_the_matrix")


@pytest.mark.parametrize("name", [name for name, entry in MATRIX.items() if "refused" not in entry])
def test_three_readers_agree(built: Path, tmp_path: Path, name: str) -> None:
    entry, spec = MATRIX[name], of(built, name)
    good = {bytes.fromhex(raw): values for raw, values in entry.get("good", {}).items()}
    bad = {bytes.fromhex(raw): code for raw, code in entry.get("bad", {}).items()}
    if "deep" in entry:
        bad[b"\1" * 5000] = entry["deep"]
    assert good
    assert compare(spec, [*good, *bad], tmp_path, entry.get("circles", ())) == [None] * len(good) + [*bad.values()]
    file = open_file(tmp_path / f"m_{name}.dat", Options(spec=spec.name, framing="rdw"), on_error=lambda error: None)
    shown = [json.loads(json.dumps(values)) for values in file.records()]
    assert shown == [_as_json(values) for values in good.values()]
    assert (RecordPlan(catalog.load(spec.name)).reason == "") is entry.get("column", False)
    lines = "\n".join(planned(spec.name).lines())
    for column in schemas.records_schema(spec.name).names:
        assert column in schemas.OUTCOMES or f" {column} " in lines


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _as_json(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    return "NaN" if value != value else value


@pytest.mark.parametrize("name", [name for name, entry in MATRIX.items() if "refused" in entry])
def test_what_is_not_read_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / f"m_{name}.ksy").write_text(ksy(name, MATRIX[name]))
    with pytest.raises(SpecError, match=rf"m_{name}\.ksy:\d+:\d+: error: .*{MATRIX[name]['refused']}"):
        make(tmp_path / f"m_{name}.ksy", "python", None)
