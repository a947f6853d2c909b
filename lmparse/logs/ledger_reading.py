"""Ledger reading: what a ledger keeps of a new file, from its bytes and those of its control file."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lmparse.changes.family import AnyFamily
from lmparse.changes.log_range import LogRange
from lmparse.errors import ControlError, OptionError
from lmparse.logs.families import check_changes, check_fits, families, read_options
from lmparse.logs.sniff import sniff
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.spelling import plain
from lmparse.storage.digests import StoredDigest, stored_digest


@dataclasses.dataclass(frozen=True, slots=True)
class LogContents:
    """What reading one file gives."""

    spec: str
    range: LogRange
    control: str | None
    """Path of its control file."""
    control_sha256: str | None
    no_control: str
    """Why there is no control file, if its logs have one."""


class LogContentsReader:
    """Reads new files with the options of one run. Without the option `spec`, each file shows what it is.

    Raises OptionError for options that no log has.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.options = read_options(given)
        self.limits = self.options.bounds
        is_named = any(plain(name) == "spec" and value is not None for name, value in given.items())
        self._family = check_changes(self.options) if is_named or self.options.files else None
        self._families = families() if self._family is None else (self._family,)
        self._searches: dict[str, Callable[[str, str | None], str]] = {}
        self._digests: dict[str, StoredDigest] = {}

    def is_control(self, path: str) -> bool:
        """Whether a file is a control file, and so not a log."""
        return any(one.control is not None and one.control.is_one(path, self.limits) for one in self._families)

    def read(self, path: str) -> LogContents:
        """Read a log, from its beginning to its end. Raises DataError for damage, OptionError."""
        options = self.options
        if self._family is None:
            options = replace(options, spec=sniff(path, self.limits).spec)
        family = check_changes(options)
        check_fits(options, catalog.load(options.spec))
        if family.range_of is None:
            raise OptionError(f"a ledger does not take files of {options.spec}")
        control, why = self._control(family, path, options)
        if control is None and options.control_framing != "auto":
            raise OptionError("controlFraming is for a control file", hint="give control too")
        found = family.range_of(path, replace(options, control=control))
        found = replace(found, reading=_set_options(options) | dict(found.reading))
        digest = None if control is None else self._digest(control).sha256
        return LogContents(options.spec, found, control, digest, why)

    def _control(self, family: AnyFamily, path: str, options: Options) -> tuple[str | None, str]:
        """The control file that the options name, or one beside the log; None, and why, if there is none."""
        if family.control is None:
            return None, ""
        if family.name not in self._searches:
            self._searches[family.name] = family.control.search(self.limits)
        try:
            return self._searches[family.name](path, options.control), ""
        except ControlError as error:
            if options.control is not None or error.code != "LMP-C007":
                raise
            return None, error.says()

    def _digest(self, control: str) -> StoredDigest:
        """The hash of a control file, which many logs may have."""
        if control not in self._digests:
            self._digests[control] = stored_digest(control)
        return self._digests[control]


def read_again(spec: str, reading: Mapping[str, str], options: Options) -> Options:
    """The options with which a file was read, for a run with other ones.

    A ledger may come from others, and to load a spec is to run it. Raises OptionError LMP-S040 for a spec by its path
    that the run does not name itself, and for options that a ledger does not keep.
    """
    if spec not in catalog.spec_ids() and spec != options.spec:
        raise OptionError(
            f"it was read with the spec {spec}", code="LMP-S040", hint="name that spec in the option spec"
        )
    if unknown := sorted(reading.keys() - _kept_options()):
        raise OptionError(f"a ledger does not keep the option {unknown[0]}", code="LMP-S040")
    return read_options({**reading, "spec": spec, "limits": options.limits})


def _kept_options() -> frozenset[str]:
    """The options for reading records, without those that name files."""
    kept = [
        entry.name
        for entry in dataclasses.fields(Options)
        if "ledger" in entry.metadata["of"].split() and not entry.metadata["is_file"]
    ]
    return frozenset(kept) - {"spec", "limits", "control_framing"}


def _set_options(options: Options) -> dict[str, str]:
    """Those that are set."""
    defaults = {entry.name: entry.default for entry in dataclasses.fields(options)}
    values = {name: getattr(options, name) for name in sorted(_kept_options())}
    return {name: str(value) for name, value in values.items() if value != defaults[name]}
