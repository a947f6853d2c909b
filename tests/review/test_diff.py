"""`lmparse diff`: what a change of specs means, by cases as files, and that no change goes unseen."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from lmparse import cli
from lmparse.errors import LmparseError
from lmparse.review.diff.compare import compare
from lmparse.review.diff.rules import CLASSES, RULES
from lmparse.spec import ksy
from lmparse.spec.ksy import Specs, read_specs

ROOT = Path(__file__).parents[2]
FORMATS = ROOT / "formats"
CASES = Path(__file__).parents[1] / "cases_diff"
FAULTY = Path(__file__).parents[1] / "cases_bad_specs"
PAGE = (ROOT / "docs" / "review.md").read_text()
FOUND = sorted(path.parent for path in CASES.glob("*/expected.yaml"))
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `lmparse diff`; gives exit code, stdout and stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = cli.main(["diff", *map(str, arguments)])
        return (code, *capsys.readouterr())

    return run


@pytest.fixture(autouse=True, scope="module")
def _parsed_once() -> Iterator[None]:
    """A text that many tests read is parsed once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ksy, "parsed", cache(ksy.parsed))
        yield


@cache
def installed() -> Specs:
    return read_specs("installed")


# -- rules ---------------------------------------------------------------------------------


def as_expected(change: dict[str, Any]) -> dict[str, Any]:
    """A change of the JSON as the cases have it: without what is empty."""
    field = ".".join(filter(None, (change["layout"], change["field"])))
    named = {"rule": change["rule"], "class": change["class"], "what": change["what"], "field": field}
    rest = {name: change[name] for name in ("old", "new", "also")}
    return named | {name: value for name, value in rest.items() if value not in (None, [])}


@pytest.mark.parametrize("case", FOUND, ids=lambda path: path.name)
def test_case(case: Path, run: Run) -> None:
    expected = yaml.safe_load((case / "expected.yaml").read_text("utf-8"))
    code, out, err = run(case / "old.ksy", case / "new.ksy", "--json")
    assert [as_expected(change) for change in json.loads(out)["changes"]] == expected["changes"]
    assert (code, err) == (expected["exit"], "")


@cache
def expected_changes() -> list[dict[str, Any]]:
    return [change for case in FOUND for change in yaml.safe_load((case / "expected.yaml").read_text())["changes"]]


def test_every_rule_has_a_case_of_its_class() -> None:
    assert {change["rule"] for change in expected_changes()} == RULES.keys()
    assert all(change["class"] == RULES[change["rule"]].cls for change in expected_changes())


def test_the_rules_are_in_the_order_of_their_classes_and_fit_a_table() -> None:
    words = [rule.reason for rule in RULES.values()] + [rule.says for rule in RULES.values()]
    assert all("|" not in text for text in words)
    assert [rule.cls for rule in RULES.values()] == sorted((rule.cls for rule in RULES.values()), key=CLASSES.index)


# -- nothing goes unseen -------------------------------------------------------------------


def test_a_spec_does_not_differ_from_itself(run: Run) -> None:
    assert run("installed", FORMATS, "--fail-on", "doc") == (0, "nothing differs\n", "")
    assert len(installed().own) > 40


def test_every_key_of_a_spec_is_looked_at(tmp_path: Path) -> None:
    """Whatever is taken out of a spec shows as more than a change of its text."""
    whole = yaml.safe_load((CASES / "rich.ksy").read_text())
    old, file = read_specs(str(CASES / "rich.ksy")), tmp_path / "less.ksy"
    silent = []
    for path in paths_in(whole):
        damaged = deepcopy(whole)
        above = damaged
        for step in path[:-1]:
            above = above[step]
        del above[path[-1]]
        file.write_text(yaml.dump(damaged, Dumper=DUMPER, sort_keys=False))
        new = maybe_read(file)
        if new is not None and {change.what for change in compare(old, new).changes} <= {"text"}:
            silent.append("/".join(map(str, path)))
    assert silent == []


def maybe_read(file: Path) -> Specs | None:
    """The spec of a file; None when its faults are named."""
    try:
        return read_specs(str(file))
    except LmparseError as error:
        if error.code != "LMP-S008":
            raise
        return None


def paths_in(tree: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything in a tree."""
    items = list(tree.items()) if isinstance(tree, dict) else list(enumerate(tree)) if isinstance(tree, list) else []
    return [path for key, item in items for path in ((*above, key), *paths_in(item, (*above, key)))]


# -- what is compared ----------------------------------------------------------------------


def changed_formats(tmp_path: Path) -> Path:
    """The specs of the package, with a row id that is a byte longer."""
    folder = tmp_path / "formats"
    shutil.copytree(FORMATS, folder, ignore=shutil.ignore_patterns("_build"))
    path = folder / "common" / "common_rid.ksy"
    path.write_text(path.read_text().replace("    type: u1\n", "    type: u2\n"))
    return folder


def test_what_a_shared_type_moves_is_a_change_of_each_spec(tmp_path: Path) -> None:
    changes = compare(installed(), read_specs(str(changed_formats(tmp_path)))).changes
    causes = [change for change in changes if change.layout == "common_rid"]
    assert ("row", "breaking", "resized") in [(change.field, change.cls, change.rule) for change in causes]
    moving = [change for change in changes if change.layout == "bmc_lldf" and change.rule == "moved"]
    lldf = installed().layouts["bmc_lldf"]
    behind = [entry.id for entry in lldf.fields[list(lldf.by_id).index("rid") + 1 :]]
    moved = [path.partition(".")[2] for change in moving for path in (change.path, *change.also)]
    # Reserved bytes have no meaning that could move; DATA is where `length` says.
    assert moved == [name for name in behind if name not in ("reserved", "data", "header_rest")]


def test_a_file_and_a_folder_are_compared_by_the_spec_of_the_file(tmp_path: Path, run: Run) -> None:
    folder = changed_formats(tmp_path)
    shutil.copy(FORMATS / "bmc" / "bmc_lldf.ksy", tmp_path / "any_name.ksy")
    shutil.copy(FORMATS / "bmc" / "bmc_dlds.ksy", folder / "bmc" / "bmc_dlds.ksy")
    (folder / "bmc" / "bmc_xtyp.ksy").unlink()  # bmc_lldf does not read by it
    code, out, _ = run(tmp_path / "any_name.ksy", folder, "--json")
    assert (code, {change["spec"] for change in json.loads(out)["changes"]}) == (24, {"bmc_lldf", "common_rid"})
    assert run(tmp_path / "any_name.ksy", "installed") == (0, "nothing differs\n", "")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "there is no file or folder 'nowhere'"),
        (FORMATS / "bmc", f"there is no <family>/<id>.ksy in {FORMATS / 'bmc'}"),
    ],
)
def test_what_is_no_spec_is_named(run: Run, name: object, message: str) -> None:
    code, out, err = run("--", "installed", name)
    assert (code, out) == (2, "")
    assert err.splitlines()[0] == f"{message} [LMP-S009]"


def stated(case: Path) -> list[str]:
    """What the build step says of a faulty spec, but for what the compiler finds."""
    lines = [line for path in sorted(case.glob("*/*.ksy")) for line in path.read_text().splitlines()]
    return [line.removeprefix("# generate: ") for line in lines if line.startswith("# generate: ")]


@pytest.mark.parametrize("name", ["date", "missing_import", "no_yaml", "shape", "twice", "wrong_id"])
def test_faulty_specs_are_named_as_the_build_step_names_them(
    name: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FAULTY / name)
    code, out, err = run("installed", ".")
    assert (code, out) == (20, "")
    lines = err.removesuffix(" [LMP-S008]\n").splitlines()
    assert lines == stated(FAULTY / name) != []


@pytest.mark.parametrize("inside", ["bits", "an instance"])
def test_types_too_deep_in_one_another_are_refused(inside: str, tmp_path: Path, run: Run) -> None:
    holds = {
        "bits": "seq: [{{id: k, type: b4}}, {{id: a, type: {}}}]",
        "an instance": "seq: [{{id: k, type: u1}}]\n    instances: {{a: {{pos: 0, type: {}}}}}",
    }[inside]
    types = "".join(f"  t{number}:\n    {holds.format(f't{number + 1}')}\n" for number in range(500))
    path = tmp_path / "acme_a.ksy"
    path.write_text(
        f"meta: {{id: acme_a}}\nseq: [{{id: a, type: t0}}]\ntypes:\n{types}  t500: {{seq: [{{id: k, type: u1}}]}}\n"
    )
    code, out, err = run("installed", path)
    assert (code, out) == (20, "")
    assert "error: types are in one another too deep to be followed [/types]" in err
    assert err.endswith(" [LMP-S008]\n")


def test_names_that_nothing_defines_are_named(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "acme_a.ksy"
    path.write_text("meta: {id: acme_a}\nseq:\n  - {id: one, type: two}\n  - {id: three, type: u1, enum: four}\n")
    assert run("installed", path)[::2] == (
        20,
        f"{path}:3:15: error: there is no type two [/seq/0/type]\n"
        f"{path}:4:27: error: there is no enumeration four [/seq/1/enum] [LMP-S008]\n",
    )


def test_a_damaged_spec_gives_an_error_or_a_diff(tmp_path: Path) -> None:
    """Whatever stands at a key, nothing but LMP-S008 is raised."""
    whole = yaml.safe_load((CASES / "rich.ksy").read_text())
    odd: list[Any] = [None, -1, True, "", "a::b(", [], {}, [None], {"cases": {1: 2}}, {None: 1}, "0x", 1 << 70]
    old = read_specs(str(CASES / "rich.ksy"))
    for number, path in enumerate(paths_in(whole)):
        damaged = deepcopy(whole)
        above = damaged
        for step in path[:-1]:
            above = above[step]
        above[path[-1]] = odd[number % len(odd)]
        file = tmp_path / "damaged.ksy"
        file.write_text(yaml.dump(damaged, Dumper=DUMPER, sort_keys=False))
        new = maybe_read(file)
        if new is not None:
            assert compare(old, new).changes


# -- reports -------------------------------------------------------------------------------


def files_of(case: str) -> tuple[Path, Path]:
    return CASES / case / "old.ksy", CASES / case / "new.ksy"


def test_text_has_the_class_in_front_and_a_summary_at_the_end(run: Run) -> None:
    """As the page shows it."""
    (example,) = re.findall(r"^\$ lmparse diff old.ksy new.ksy\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert run(*files_of("all_at_once"))[1] == example


def test_json_is_one_object_with_stable_keys(run: Run) -> None:
    old, new = files_of("all_at_once")
    (line,) = run(old, new, "--json")[1].splitlines()
    found = json.loads(line)
    assert list(found) == ["old", "new", "counts", "worst", "changes"]
    assert (found["old"], found["new"], found["worst"]) == (str(old), str(new), "breaking")
    assert found["counts"] == {"breaking": 1, "widening": 0, "compatible": 3, "doc": 2}
    assert found["changes"][0] == {
        "class": "breaking",
        "rule": "moved",
        "what": "field",
        "spec": "acme_reading",
        "layout": "acme_reading",
        "field": "name",
        "old": 3,
        "new": 5,
        "also": [],
        "reason": RULES["moved"].reason,
    }
    assert json.loads(run(old, old, "--json")[1])["worst"] is None


def test_markdown_is_a_table_whatever_stands_in_a_spec(tmp_path: Path, run: Run) -> None:
    texts = "Number", "a | b `c` *d* <b>e</b>\nf"
    for name, text in zip(("old", "new"), texts, strict=True):
        field = {"id": "number", "type": "u1", "doc": text}
        (tmp_path / f"{name}.ksy").write_text(yaml.safe_dump({"meta": {"id": "acme_reading"}, "seq": [field]}))
    out = run(tmp_path / "old.ksy", tmp_path / "new.ksy", "--markdown")[1]
    title, _, *rows = out.splitlines()
    assert title.endswith("**1 change: 0 breaking, 0 widening, 0 compatible, 1 doc**")
    assert rows == [
        "| class | where | change | why |",
        "| --- | --- | --- | --- |",
        r"| doc | `acme_reading.number` | doc changed: Number -> a \| b \`c\` \*d\* \<b>e\</b> f | "
        + RULES["doc"].reason
        + " |",
    ]
    assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [5, 5, 5]


@pytest.mark.parametrize(
    ("case", "codes"),
    [
        ("nothing", [0, 0, 0, 0, 0]),
        ("comment_changed", [0, 0, 0, 24, 0]),
        ("code_added", [0, 0, 24, 24, 0]),
        ("field_optional", [0, 24, 24, 24, 0]),
        ("field_removed", [24, 24, 24, 24, 0]),
    ],
)
def test_the_exit_code_follows_fail_on(case: str, codes: list[int], run: Run) -> None:
    assert [run(*files_of(case), "--fail-on", cls)[0] for cls in (*CLASSES, "none")] == codes
    assert run(*files_of(case))[0] == codes[0]


def test_one_report_at_a_time(run: Run) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(*files_of("nothing"), "--json", "--markdown")
