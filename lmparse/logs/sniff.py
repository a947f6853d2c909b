"""Sniff: recognizes a file by proof, with the options that read it; also a file that its spec does not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lmparse.errors import DataError, FileLimitError, FramingError
from lmparse.framing.descriptors import record_starts
from lmparse.framing.detection import Detection, Trial, Walks, detect, try_framings
from lmparse.limits import DEFAULT, Limits
from lmparse.logs.families import detection_of, families, known_files
from lmparse.options import FILE_OPTIONS, Options
from lmparse.records.settings import framing_for
from lmparse.spec import catalog
from lmparse.storage.addresses import path_of
from lmparse.storage.buffers import Buffer, open_buffer
from lmparse.storage.compression import ENDINGS, packing_by_bytes
from lmparse.values import codepages

_SHOWN, _TRIED = 5, 3
_REPLACED = 8
"""Number of replacement characters above which a file counts as rewritten in UTF-8."""
_SAMPLE_BYTES = 1 << 16
_UNPACK = "unpack it first"
_CONVERT = "give the log that it was made of"
_LONGEST = 512


@dataclass(frozen=True)
class Sniffed:
    """The result for one file."""

    path: str
    size: int
    spec: str
    """Spec id of its records."""
    kind: str
    """Description of the records."""
    trial: Trial
    proven: Mapping[str, str]
    """Options besides the framing that the bytes prove."""

    @property
    def options(self) -> dict[str, str]:
        """The options that read the file, under their Python names."""
        return {"spec": self.spec, "framing": self.trial.framing.name, **self.proven}

    @property
    def records(self) -> list[tuple[int, int, int]]:
        """Number, offset and length of the first records, as proof."""
        return [(extent.index, extent.offset, extent.length) for extent in self.trial.extents[:_SHOWN]]

    def to_dict(self) -> dict[str, Any]:
        """The result as one JSON object."""
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


def sniff(path: str | Path, limits: Limits = DEFAULT) -> Sniffed:
    """Recognize a file. A compressed file is unpacked completely, because its size is one of the facts.

    Raises FramingError: LMP-F001 for an unreadable file, LMP-F002 for an empty file, LMP-F010 for a file converted to
    ASCII, LMP-F003 for an unknown file, LMP-L002 or LMP-L003 above a limit.
    """
    path = path_of("path", path)
    if not isinstance(limits, Limits):
        raise TypeError(f"limits is an object of Limits, and {type(limits).__name__} is given")
    return _sniffed(path, open_buffer(path, limits), lambda buffer: _find(buffer, limits))


def sniff_spec(path: str, options: Options) -> Sniffed:
    """The framing of a file with records of the spec in the options. Raises FramingError and OptionError."""
    detection = detection_of(catalog.load(options.spec))
    offsets = {name: str(size) for name in ("file_start_offset", "file_end_offset") if (size := getattr(options, name))}
    buffer = open_buffer(path, options.bounds)
    return _sniffed(path, buffer, lambda buffer: (options.spec, *framing_for(buffer, options, detection)), **offsets)


def _sniffed(
    path: str, buffer: Buffer, find: Callable[[Buffer], tuple[str, Detection, Trial]], **options: str
) -> Sniffed:
    try:
        spec, detection, trial = find(buffer)
        records = [extent.read(buffer) for extent in trial.extents]
        proven = detection.options(records, trial.framing) if detection.options else {}
    except FramingError as error:
        error.at(file=path)
        raise
    return Sniffed(path, len(buffer), spec, detection.name, trial, {**options, **proven})


def _find(buffer: Buffer, limits: Limits) -> tuple[str, Detection, Trial]:
    fits = []
    walks: Walks = {}
    ambiguous: list[FramingError] = []
    limited: list[FramingError] = []
    for spec, detection in known_files().items():
        try:
            fits.append((spec, detection, detect(buffer, detection, limits, walks=walks)))
        except FileLimitError as error:
            limited.append(error)
        except FramingError as error:
            if error.code == "LMP-F004":
                ambiguous.append(error)
            elif error.code != "LMP-F003":
                raise
    if not fits:
        raise (limited or ambiguous)[0] if limited or ambiguous else _converted(buffer) or _unknown(buffer, walks)
    # Prefer a framing that fits the whole file to a framing that fits only the beginning.
    return min(fits, key=lambda fit: not fit[2].is_proven)


def _converted(buffer: Buffer) -> FramingError | None:
    """The error of a file whose bytes were translated from EBCDIC to ASCII; None for other files."""
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
        kinds = known_files().values()
        trials = (trial for detection in kinds for trial in try_framings(original, detection))
        # Or the bytes before translation begin with the magic of some kind of file.
        starts = [(detection.magic, at) for detection in kinds if detection.magic for at in record_starts()]
        if any(trial.refusal is None and trial.extents for trial in trials) or any(
            original.startswith(magic, at) and not sample.startswith(magic, at) for magic, at in starts
        ):
            return FramingError(
                "was converted from EBCDIC to ASCII on the way", code="LMP-F010", record_offset=0,
                expected="the bytes as they are on z/OS", found="translated text", hex=sample[:32].hex().upper(),
                hint="transfer it again in binary, with record descriptor words (for z/OS FTP: binary, SITE RDW)",
            )  # fmt: skip
    return None


def _unknown(buffer: Buffer, walks: Walks) -> FramingError:
    kind = foreign_kind(buffer)
    if kind is not None:
        (name, hint), first = kind, buffer[:32].hex().upper()
        return FramingError(f"is {name}", code="LMP-F003", record_offset=0, expected=_known(), hex=first, hint=hint)
    tried: dict[str, str] = {}
    for spec, detection in known_files().items():
        for trial in try_framings(buffer, detection, walks=walks)[: _TRIED - len(tried)]:
            tried[f"{spec} {trial.framing.name}"] = trial.verdict
    best = "; ".join(f"{name}: {verdict}" for name, verdict in tried.items())
    return FramingError(
        "is nothing known", code="LMP-F003", record_offset=0, expected=_known(), found=best,
        hex=buffer[:32].hex().upper(), hint="name the spec of its records with spec; common_raw is for any records",
    )  # fmt: skip


def _known() -> str:
    return ", or ".join(family.files for family in families())


# -- files of other programs -------------------------------------------------------------------


_KINDS: tuple[tuple[int, bytes, tuple[str, str]], ...] = (
    (0, b"PK\x03\x04", ("a zip archive", _UNPACK)),
    (0, b"PK\x05\x06", ("an empty zip archive", "transfer it again")),
    (257, b"ustar", ("a tar or pax archive", _UNPACK)),
    (0, b"BZh", ("a bzip2 file", _UNPACK)),
    (0, b"\xfd7zXZ\0", ("an xz file", _UNPACK)),
    (0, b"7z\xbc\xaf\x27\x1c", ("a 7z archive", _UNPACK)),
    (0, b"PAR1", ("a Parquet file", _CONVERT)),
    (0, b"ARROW1\0\0", ("an Arrow file", _CONVERT)),
    (0, b"Obj\x01", ("an Avro file", _CONVERT)),
    (0, b"ORC", ("an ORC file", _CONVERT)),
    (0, b"SQLite format 3\0", ("an SQLite database", _CONVERT)),
    (0, b"%PDF-", ("a PDF document", "give a log")),
    # A control record of TSO/E TRANSMIT: length, flags, and INMR01 in EBCDIC.
    (2, b"\xc9\xd5\xd4\xd9\xf0\xf1", (
        "a data set packed by TSO TRANSMIT", "unpack it with RECEIVE, and transfer what comes out")),
)  # fmt: skip


def foreign_kind(buffer: Buffer) -> tuple[str, str] | None:
    """The kind of a file of another program by its first bytes, and a hint what to do; None if unknown."""
    first = bytes(buffer[:_LONGEST])
    packing = packing_by_bytes(first)
    if packing is not None:
        ending = next(ending for ending, name in ENDINGS.items() if name == packing)
        return f"a {packing} file", f"unpack it, or give it a name that ends with {ending}"
    sample = buffer[:_SAMPLE_BYTES]
    by_magic = (kind for place, magic, kind in _KINDS if first.startswith(magic, place))
    by_bytes = (kind for is_one, kind in _KINDS_BY_BYTES if is_one(sample))
    return next(by_magic, None) or next(by_bytes, None)


def _is_zeros(sample: bytes) -> bool:
    """Whether all bytes are zero, except for those of at most two descriptor words."""
    return len(sample) - sample.count(0) <= max(record_starts()) < len(sample)


def _is_rewritten(sample: bytes) -> bool:
    """Whether a program has decoded the bytes as UTF-8 and written the result; no log is UTF-8 by chance."""
    text = sample.decode("utf-8", "ignore")
    return text.count("\ufffd") > _REPLACED and len(text.encode()) > len(sample) - 4


def _is_text(sample: bytes) -> bool:
    printable = sum(byte in b"\t\r\n" or 0x20 <= byte < 0x7F for byte in sample)
    # An EBCDIC blank is `@` in ASCII, and EBCDIC letters are not printable: only padded fields look like text.
    is_padded = sample.count(codepages.lookup("cp037").encode(" ")[0]) > max(sample.count(b" "), len(sample) // 20)
    return len(sample) > 0 and printable >= 0.95 * len(sample) and not is_padded


_KINDS_BY_BYTES: tuple[tuple[Callable[[bytes], bool], tuple[str, str]], ...] = (
    (_is_zeros, ("zeros where records should begin", "transfer it again")),
    (_is_rewritten, ("a file that was rewritten as UTF-8, which loses bytes", "transfer it again in binary")),
    (_is_text, ("a text file", "give a log")),
)


# -- files of another kind than their spec says -------------------------------------------


def of_another_kind(path: str | Path | None, options: Options, error: DataError) -> DataError:
    """The error of a file that is of another family than its spec, or another file of the family; else `error`.

    `error` comes from reading the file by its spec. It is doubted if no framing fits, if no control file is found, or
    if the first record is damaged: other bytes may begin like a record of any length.
    """
    is_first = error.record_index == 0 and error.code in ("LMP-F005", "LMP-F006", "LMP-F007")
    is_certain = error.code not in ("LMP-F003", "LMP-C007") and not is_first
    if path is None or is_certain or error.file not in (None, str(path)):
        return error
    spec = catalog.load(options.spec).id
    found: Sniffed | None = None
    with suppress(FramingError):
        found = sniff(path, options.bounds)
    owner = next((family for family in families() if found is not None and family.owns(found.spec)), None)
    if found is None or owner is None or not found.trial.is_proven:
        with suppress(FramingError):
            if kind := foreign_kind(open_buffer(path, options.bounds)):
                name, hint = kind
                return _error(name, path, hint)
        return error
    if found.spec == spec:
        return error
    if not owner.owns(spec):
        named = " or ".join(sorted({f"spec {found.spec}", *(name for name in FILE_OPTIONS if name in owner.options)}))
        return _error(owner.title, path, f"give {named}")
    if owner.control is not None and owner.control.is_one(str(path), options.bounds):
        return _error(found.kind, path, f"give the log, and this file as control, or spec {found.spec} for its records")
    return _error(found.kind, path, f"give spec {found.spec}")


def _error(kind: str, path: str | Path, hint: str) -> FramingError:
    text = f"is of another kind: {kind}"
    return FramingError(text, code="LMP-F003", file=str(path), record_offset=0, hint=hint)
