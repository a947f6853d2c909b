"""Sniffing: what a file is, with the proof, and the options to read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lmparse.bmc import control_file
from lmparse.errors import FramingError
from lmparse.framing.detection import Family, Trial, detect, try_framings
from lmparse.logs.families import known_families
from lmparse.storage.buffers import Buffer, open_buffer
from lmparse.values import codepages

_SHOWN = 5
_SAMPLE_BYTES = 1 << 16


@dataclass(frozen=True)
class Sniffed:
    """What a file was found to be."""

    path: str
    size: int
    spec: str
    """Spec id of its records."""
    kind: str
    """In words."""
    trial: Trial
    proven: Mapping[str, str]
    """Options besides the framing that the bytes prove."""

    @property
    def options(self) -> dict[str, str]:
        """The options that read it, under their Python names."""
        return {"spec": self.spec, "framing": self.trial.framing.name, **self.proven}

    @property
    def records(self) -> list[tuple[int, int, int]]:
        """Number, offset and length of the first records: the proof."""
        return [(extent.index, extent.offset, extent.length) for extent in self.trial.extents[:_SHOWN]]

    def to_dict(self) -> dict[str, Any]:
        """The same as one JSON object."""
        names = ("index", "offset", "length")
        return {
            "file": self.path,
            "size": self.size,
            "kind": self.kind,
            **self.options,
            "is_proven": self.trial.is_proven,
            "records": [dict(zip(names, record, strict=True)) for record in self.records],
            "fault": None if self.trial.fault is None else self.trial.fault.to_dict(),
        }


def sniff(path: str | Path) -> Sniffed:
    """Find out what a file is.

    Raises FramingError: LMP-F001 when it cannot be read, LMP-F002 when it is empty, LMP-F010
    when it was converted to ASCII on the way, LMP-F003 when it is nothing known.
    """
    buffer = open_buffer(path)
    name = str(path)
    try:
        found = _find(buffer)
    except FramingError as error:
        error.at(file=name)
        raise
    if found is None:
        fault = _converted(buffer) or _unknown(buffer)
        fault.at(file=name)
        raise fault
    spec, family, trial = found
    records = [extent.read(buffer) for extent in trial.extents]
    try:
        proven = family.options(records, trial.framing) if family.options else {}
    except FramingError as error:
        error.at(file=name)
        raise
    return Sniffed(name, len(buffer), spec, family.name, trial, proven)


def _find(buffer: Buffer) -> tuple[str, Family, Trial] | None:
    fits = []
    ambiguous: list[FramingError] = []
    for spec, family in known_families().items():
        try:
            fits.append((spec, family, detect(buffer, family)))
        except FramingError as error:
            if error.code == "LMP-F004":
                ambiguous.append(error)
            elif error.code != "LMP-F003":
                raise
    # A family that tiles the file is preferred to one that only begins well.
    fits.sort(key=lambda fit: not fit[2].is_proven)
    if not fits and ambiguous:
        raise ambiguous[0]
    return fits[0] if fits else None


def _converted(buffer: Buffer) -> FramingError | None:
    """The error of a file whose bytes went through a translation from EBCDIC to ASCII."""
    sample = buffer[:_SAMPLE_BYTES]
    if not sample:
        return None
    for page in ("cp037", "cp1047"):
        table = codepages.lookup(page)
        back = {table.decode(bytes([byte])): byte for byte in range(256)}
        text = sample.decode("latin-1")
        if not all(character in back for character in text):
            continue
        original = bytes(back[character] for character in text)
        if _is_known(original) or _has_code(original, sample):
            return FramingError(
                "was converted from EBCDIC to ASCII on the way", code="LMP-F010", record_offset=0,
                expected="the bytes as they are on z/OS", found="translated text", hex=sample[:32].hex().upper(),
                hint="transfer it again in binary, with record descriptor words (for z/OS FTP: binary, SITE RDW)",
            )  # fmt: skip
    return None


def _is_known(original: bytes) -> bool:
    for family in known_families().values():
        for trial in try_framings(original, family):
            if trial.refusal is None and len(trial.extents) > 0:
                return True
    return False


def _has_code(original: bytes, sample: bytes) -> bool:
    """Whether the translated start spells the code that every control file begins with."""
    code = control_file.first_code()
    starts = (0, 4, 8)
    return any(original[at : at + len(code)] == code and sample[at : at + len(code)] != code for at in starts)


def _unknown(buffer: Buffer) -> FramingError:
    sample = buffer[:_SAMPLE_BYTES]
    printable = sum(byte in b"\t\r\n" or 0x20 <= byte < 0x7F for byte in sample)
    is_text = printable >= 0.95 * len(sample)
    tried = {
        f"{spec} {trial.framing.name}": trial.verdict
        for spec, family in known_families().items()
        for trial in try_framings(buffer, family)
    }
    best = "; ".join(f"{name}: {verdict}" for name, verdict in list(tried.items())[:3])
    return FramingError(
        "is a text file" if is_text else "is nothing known", code="LMP-F003", record_offset=0,
        expected="a control file or a data file of a logical log, or log records of Db2 LUW",
        found=best, hex=sample[:32].hex().upper(),
        hint=None if is_text else "an unusual framing can be named with framing and recordLength",
    )  # fmt: skip
