"""Families: the table of families, and the specs and options of each family.

A family of another installed package is an object of `Family`, named by an entry point of the group `lmparse.families`.
It is loaded when a file or a spec may belong to it, but never for the specs of lmparse.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmparse.bmc.family import FAMILY as BMC
from lmparse.changes.family import AnyFamily, ChangeReader, Family
from lmparse.changes.log import ChangeLog
from lmparse.db2.family import FAMILY as DB2
from lmparse.errors import LmparseError, OptionError
from lmparse.framing.detection import Detection
from lmparse.options import Options, decided
from lmparse.records.file_dissection import FileDissector
from lmparse.records.files import RecordFile
from lmparse.spec import catalog
from lmparse.spec.catalog import Spec
from lmparse.spelling import camel, plain
from lmparse.storage import addresses

if TYPE_CHECKING:
    import pyarrow as pa

    from lmparse.columnar.filters import Filter

BUILT_IN: tuple[AnyFamily, ...] = (BMC, DB2)
GROUP = "lmparse.families"


def families() -> tuple[AnyFamily, ...]:
    """All families. Raises LmparseError LMP-S010 for an unusable family of another package."""
    return (*BUILT_IN, *_installed())


@cache
def _installed() -> tuple[AnyFamily, ...]:
    found: list[AnyFamily] = []
    for entry in entry_points(group=GROUP):
        named = f"family {entry.name} ({entry.value})"
        try:
            family = entry.load()
        except Exception as error:
            raise LmparseError(f"{named} cannot be loaded: {error!r}", code="LMP-S010") from error
        if not isinstance(family, Family):
            raise LmparseError(f"{named} is not a Family but a {type(family).__name__}", code="LMP-S010")
        if any(family.name == other.name for other in (*BUILT_IN, *found)):
            raise LmparseError(f"{named}: there is another family {family.name}", code="LMP-S010")
        found.append(family)
    return tuple(found)


def _families_for(spec: Spec) -> tuple[AnyFamily, ...]:
    """The families that a spec may belong to; a spec of lmparse never belongs to another package."""
    return families() if Path(spec.name).name != spec.name else BUILT_IN


def family_of(spec: Spec) -> AnyFamily | None:
    """The family of a spec's logs; None if the spec's records are not changes."""
    return next((family for family in _families_for(spec) if family.spec_id == spec.id), None)


def detection_of(spec: Spec) -> Detection | None:
    """How files of a spec are recognized; None if only parsing their records can tell."""
    return _by_id(_families_for(spec)).get(spec.id)


def dissector_of(file: RecordFile) -> FileDissector:
    """The dissector for the records of a file."""
    family = family_of(file.spec)
    return FileDissector(file) if family is None else family.dissector(file)


def known_files() -> dict[str, Detection]:
    """How files are recognized, by spec id."""
    return _by_id(families())


def _by_id(families: tuple[AnyFamily, ...]) -> dict[str, Detection]:
    return {Path(name).name: found for family in families for name, found in family.detections().items()}


def spec_name(name: str) -> str:
    """The name for `catalog.load` of a spec: the name itself, or the path of a spec of another package."""
    if Path(name).name != name or name in catalog.spec_ids():
        return name
    paths = {Path(path).name: path for family in _installed() for path in (family.spec, *family.detections())}
    return paths.get(name, name)


def change_reader(
    log: ChangeLog, schema: pa.Schema | None = None, filters: Sequence[Filter] = ()
) -> ChangeReader | None:
    """The column-wise reader of the changes of a log; None if they are read one by one."""
    family = family_of(log.spec)
    if log.options.engine == "kaitai" or family is None or family.change_reader is None:
        return None
    return family.change_reader(log, schema, filters)


def without_descriptions(names: Sequence[str], options: Options) -> list[str]:
    """The files that neither options name nor names mark as descriptions of logs."""
    family = family_of(catalog.load(options.spec))
    endings = () if family is None else family.description_endings
    given = {os.path.realpath(addresses.local_path(path)) for path in options.files.values()}
    found = [name for name in names if not addresses.base_name(name).lower().endswith(endings)]
    return [
        name for name in found
        if addresses.is_remote(name) or os.path.realpath(addresses.local_path(name)) not in given
    ]  # fmt: skip


# -- options ------------------------------------------------------------------------------


def read_options(given: Mapping[str, Any], *, known: tuple[str, ...] = (), public: tuple[str, ...] = ()) -> Options:
    """The options that `Options.parse` reads, with the spec that they name or imply.

    An option for a file that only one family's logs have implies the spec of this family.
    """
    options = Options.parse(given, known=known, public=public)
    if any(plain(name) == "spec" and value is not None for name, value in given.items()):
        return dataclasses.replace(options, spec=spec_name(options.spec))
    owners = [family for family in BUILT_IN if family.options.intersection(options.files)]
    return dataclasses.replace(options, spec=owners[-1].spec) if owners else options


def check_fits(options: Options, spec: Spec) -> None:
    """Raise OptionError LMP-S003 for a given option that does not apply to records of a spec."""
    all_ = _families_for(spec)
    for entry in dataclasses.fields(options):
        owners = [family for family in all_ if entry.name in family.options]
        is_free = not owners or entry.name in spec.layout.params or any(owner.owns(spec.id) for owner in owners)
        if not is_free and getattr(options, entry.name) != entry.default:
            text = f"{camel(entry.name)} does not apply to records of {spec.id}"
            raise OptionError(text, code="LMP-S003", hint=f"it is for specs of the family {owners[0].name}")
    if options.control_framing != "auto" and options.control is None:
        raise OptionError("controlFraming is for a control file", hint="give control too")
    family = family_of(spec)
    if family is not None and options.rows is not None:
        raise OptionError(f"rows does not apply to records of {spec.id}", hint="its files are no single record")
    for name in decided(options.decisions):
        if family is not None and name not in family.decisions:
            text = f"decisions: {name} does not apply to records of {spec.id}"
            raise OptionError(text, hint="there it is one of " + ", ".join(sorted(family.decisions)))


def check_changes(options: Options) -> AnyFamily:
    """The family of the logs that options are for. Raises OptionError for a spec whose records are not changes, and for
    options that changes or their envelope would ignore."""
    spec = catalog.load(options.spec)
    family = family_of(spec)
    if family is None:
        text = f"records of {spec.id} are not changes"
        raise OptionError(text, hint="one of " + ", ".join(family.spec_id for family in _families_for(spec)))
    if options.enums != "labels":
        raise OptionError("enums is for records, and changes are asked for", code="LMP-S003")
    envelope = options.envelope
    if options.source_time_zone is not None and envelope != "debezium":
        raise OptionError("sourceTimeZone is for ts_ms of envelope debezium", hint="give envelope debezium too")
    if options.source_time_zone is not None and family.commit_zone is not None:
        raise OptionError(f"sourceTimeZone: commit times of {family.files} are {family.commit_zone}")
    if envelope != "flat" and options.header:
        raise OptionError(f"envelope {envelope} has no place for header", hint="leave one of them out")
    return family
