"""Logs of all cases with one record or one field changed: `check` sees it, or `unseen_changes` says why it cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from amounts import amount
from cases.files import FOUND, load, name
from laws.unseen_changes import UNSEEN, unseen_of
from mutations import STRUCTURAL, VALUES, Mutation, Sample

FIELDS = amount(14, 60)
"""Number of changed fields for each case; over all cases, each field gets each kind of value."""
UNREADABLE = {
    "bmc_lldf/described_by_xhdf",
    *(f"db2_prefix/{form}_sqlcode" for form in (
        "v97_big_filter97", "v97_little_filter97", "v10_big_filter", "v10_little_filter")),
}  # fmt: skip
"""Cases of records whose rows nothing describes as they are: they are read as records only."""
COMPRESSED = "_sqlcode.bin"
"""How the names of cases end that state the length which compressed rows would have."""
SHARE = amount(40, 1)
"""What is done to a case is tried in such a part of it, another one for each case; see `tried`."""
Condition = Callable[[Sample, Mutation], bool]


@cache
def paths() -> dict[str, list[Path]]:
    """The cases of each family that are logs."""
    found: dict[str, list[Path]] = {"bmc": [], "db2": []}
    for path in FOUND:
        case = load(path)
        spec = case["options"].get("spec", path.parent.name if case["command"] == "records" else "")
        is_log = case["command"] == "changes" or spec in ("bmc_lldf", "db2_log")
        if is_log:
            found["db2" if path.parent.name.startswith("db2_") else "bmc"].append(path)
    return found


def mutations(sample: Sample, turn: int) -> Iterator[Mutation]:
    """What is done to a case; `turn` numbers the cases, so that records and fields take turns."""
    count = len(sample.extents)
    if not count:
        return iter(())
    made = [sample.structural(kind, (turn + rank) % count) for rank, kind in enumerate(STRUCTURAL)]
    fields = [(place, value) for place in sample.places for value in VALUES]
    for rank in range(min(FIELDS, len(fields))):
        place, value = fields[(turn * FIELDS + rank) % len(fields)]
        made.append(sample.changed(place, value, (turn + rank) % count))
    if sample.family == "bmc" and ends_early(sample):
        names = (place for place in sample.places if place.field.id in ("tsname", "table_owner", "table_name"))
        made += [sample.changed(place, "other", turn % count) for place in names]
    if sample.file.path.endswith(COMPRESSED):
        lengths = (place for place in sample.places if place.field.id == "real_log_rec_len")
        made += [sample.changed(place, "other", turn % count) for place in lengths]
    if sample.family == "bmc":
        texts = [place for place in sample.places if place.field.kind in ("char", "code")]
        chosen = [texts[turn % len(texts)], *(place for place in texts if place.field.id == "tsname")]
        made += [sample.changed(place, "blank", turn % count) for place in chosen]
    return (mutation for mutation in made if mutation is not None)


# -- what cannot be seen ---------------------------------------------------------------------


def is_alone(sample: Sample, mutation: Mutation) -> bool:
    units = [(values["member_id"], values["uor_id"]) for values in sample.values]
    return units.count(units[mutation.record]) == 1


def is_same_form(sample: Sample, mutation: Mutation) -> bool:
    """Whether the change type has the same DATA as before: one row, or nothing that is described."""
    return not sample.has_control or sample.values[mutation.record]["change_type"] != "UB"


def ends_early(sample: Sample) -> bool:
    """Whether DTBI ends before the names."""
    log = sample.log
    return log.control is not None and not any(
        (record.values.get("rest") or b"").strip(b"\0\x40") for record in log.control.of("DTBI")
    )


def is_end(sample: Sample, mutation: Mutation) -> bool:
    return mutation.record in (0, len(sample.extents) - 1)


def count_of(sample: Sample, says: str) -> int:
    """How many things the case lets a claim test."""
    return next(claim.tested for claim in sample.clean.claims if claim.says.startswith(says))


def has_no_addresses(sample: Sample) -> bool:
    """Whether addresses are known only where other records name them."""
    form = sample.file.framing.name, sample.options.generation
    return form[0] == "bare" or form == ("lsn8", "v10")


def has_no_neighbours(sample: Sample, mutation: Mutation) -> bool:
    """Whether too few records adjoin to prove that none was left out: four for one that does not."""
    return count_of(sample, "no bytes are missing") < 6 or has_no_addresses(sample)


def has_no_numbers(sample: Sample, mutation: Mutation) -> bool:
    return sample.file.framing.name == "bare" and not count_of(sample, "positions in the log ascend")


def states_one_stream(sample: Sample, mutation: Mutation) -> bool:
    is_stated = sample.file.framing.name == "filter" and sample.values[mutation.record]["log_stream_id"]
    return not is_stated or (mutation.field, mutation.value) == ("log_stream_id", "zero")


def is_unlinked(sample: Sample, mutation: Mutation) -> bool:
    """Whether no other record of the transaction is in the log, or none states its address."""
    transactions = [values["transaction_id"] for values in sample.values]
    own = transactions[mutation.record]
    names_none = mutation.value == "zero" and own not in transactions[mutation.record + 1 :]
    return transactions.count(own) == 1 or names_none or has_no_addresses(sample)


def is_compressed(sample: Sample, mutation: Mutation) -> bool:
    return sample.file.path.endswith(COMPRESSED)


def always(sample: Sample, mutation: Mutation) -> bool:
    return True


CONDITIONS: dict[tuple[str, str], Condition] = {
    ("bmc", "missing"): lambda sample, mutation: (sample.values[mutation.record]["total_segs"] or 0) <= 1,
    ("bmc", "alone"): is_alone,
    ("bmc", "one record"): lambda sample, mutation: len(sample.extents) == 1,
    ("bmc", "no control file"): lambda sample, mutation: not sample.has_control,
    ("bmc", "cut"): lambda sample, mutation: not sample.has_control,
    ("bmc", "short DTBI"): lambda sample, mutation: ends_early(sample),
    ("bmc", "blank"): lambda sample, mutation: mutation.value == "blank",
    ("bmc", "kind"): is_same_form,
    ("db2", "ends"): is_end,
    ("db2", "gaps"): has_no_neighbours,
    ("db2", "order"): has_no_numbers,
    ("db2", "stream"): states_one_stream,
    ("db2", "chain"): is_unlinked,
    ("db2", "compressed"): is_compressed,
}
"""When a class of UNSEEN applies; always, if it is not listed."""


def why_unseen(sample: Sample, mutation: Mutation) -> str | None:
    """Name of the class of a mutation; None if `check` must see it."""
    for unseen in unseen_of(sample.family, mutation.kind, mutation.field):
        if CONDITIONS.get((sample.family, unseen.name), always)(sample, mutation):
            return unseen.name
    return None


def tried(
    family: str, folder: Path, is_missing: Callable[[tuple[str | None, str]], bool]
) -> Iterator[tuple[Sample, Mutation]]:
    """The mutations of a share, and of the others the first of each kind, field, value and class of UNSEEN, and those
    that may show what the page lists and no mutation has shown.
    """
    begun = set[tuple[str, str, str, str | None]]()
    others = []
    for turn, path in enumerate(paths()[family]):
        sample = Sample(path, folder)
        assert sample.family == family
        for rank, mutation in enumerate(mutations(sample, turn)):
            what = mutation.kind, mutation.field, mutation.value, why_unseen(sample, mutation)
            if (rank + turn) % SHARE and what in begun:
                others.append((sample, mutation))
                continue
            begun.add(what)
            yield sample, mutation
    for sample, mutation in others:
        if is_missing((why_unseen(sample, mutation), mutation.field)):
            yield sample, mutation


@pytest.mark.parametrize("family", ["bmc", "db2"])
def test_check_sees_each_mutation_or_the_page_says_why_not(family: str, tmp_path: Path) -> None:
    listed = {(one.name, field) for one in UNSEEN[family] for field in one.fields or ("",)}
    made, unseen, fields = Counter[str](), Counter[str](), set[tuple[str, str]]()
    unexplained = []
    for sample, mutation in tried(family, tmp_path, lambda pair: pair in listed - fields):
        made[mutation.kind] += 1
        if sample.is_seen(mutation):
            continue
        why = why_unseen(sample, mutation)
        if why is None:
            unexplained.append(f"{name(Path(sample.path))}: {mutation}")
        else:
            unseen[why] += 1
            fields.add((why, mutation.field))
    print(f"{family}: {made.total()} mutations {dict(made)}; unseen {dict(unseen)}")
    assert not unexplained, "\n".join(unexplained)
    assert listed == fields, "unseen_changes lists what is seen"


@pytest.mark.parametrize("family", ["bmc", "db2"])
def test_no_claim_fails_of_a_case(family: str, tmp_path: Path) -> None:
    for path in paths()[family]:
        report = Sample(path, tmp_path).clean
        assert report.differences == [], name(path)
        assert bool(report.error_count) == (name(path) in UNREADABLE), name(path)
