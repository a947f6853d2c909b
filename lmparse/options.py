"""Options: one table for the shell, Spark and Python.

Names are the same everywhere: `byte_order` in Python, `--byte-order` in the shell, `byteOrder` in Spark (matched
without case). Texts are parsed here, once.
"""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from typing import Any

from lmparse.errors import OptionError
from lmparse.limits import Limits
from lmparse.spelling import camel, has_half_character, plain, quoted

FRAMINGS = ("rdw", "bdw", "vbs", "bdw-vbs", "zosmf", "glued", "fixed", "whole", "parsed")
"""Framings of any records, beside `auto`."""
DB2_FRAMINGS = ("bare", "lsn6", "lsn8", "filter", "filter97", "lris")
"""Framings of Db2 LUW log records, named for the prefix of an API in front of each record."""
WORD_OPTIONS = ("rdw_endian", "rdw_includes_header", "rdw_adjustment")
"""Options for the descriptor words in front of records."""
BLOCK_OPTIONS = ("bdw_endian", "bdw_includes_header", "bdw_adjustment")
FRAMING_OPTIONS: dict[str, tuple[str, ...]] = {
    "rdw": WORD_OPTIONS,
    "bdw": WORD_OPTIONS + BLOCK_OPTIONS,
    "vbs": WORD_OPTIONS,
    "bdw-vbs": WORD_OPTIONS + BLOCK_OPTIONS,
    "zosmf": WORD_OPTIONS,
    "glued": ("record_length_field", "rdw_adjustment"),
    "fixed": ("record_length",),
    "whole": (),
    "parsed": (),
}
"""Options of each framing beside `file_start_offset` and `file_end_offset`; framings of Db2 LUW use no others."""
DECISIONS: dict[str, tuple[str, ...]] = {
    "null_bytes": ("present", "absent"),
    "dec_length": ("bytes", "precision"),
    "graphic_length": ("bytes", "characters"),
    "lob_columns_from": ("0", "1"),
}
"""The values of each decision: whether null columns of fixed length have bytes in a Log Master row image; what
LLCOLUMNLEN of a DEC column counts, if LOGLOGBYTES does not state it; what the lengths of varying graphic columns count;
the number of the first column in LOB records of Db2 LUW."""
NEAR = 0.65
"""Likeness from which an option is suggested: misspelt names are above, similar names of other things below."""
_TRUE, _FALSE = ("true", "yes", "1", "on"), ("false", "no", "0", "off")


def _option(
    default: Any,
    doc: str,
    *,
    values: tuple[str, ...] = (),
    of: str = "records changes txn summary check convert coverage explain bytes tables",
    kind: type | None = None,
    read: Callable[[str, str], str] | None = None,
    is_file: bool = False,
    least: int = 1,
) -> Any:
    """A field of Options: `of` lists the commands that take it, `values` the texts that it may have. Beside commands,
    `bytes` stands for records as bytes, `parse` for one record given as bytes, `rdd` for such records in Spark, and
    `lines` for rows that are printed or go to Arrow tables and streams.

    `kind` is the type of the value, by default that of `default`, or text. `read` normalizes the text or raises
    OptionError. `is_file` marks the name of a file that describes a log. `least` is the smallest number; if negative,
    the number may have either sign and as many digits. A family lists the options that only its specs take
    (`changes/family.py`).
    """
    kind = kind or (str if default is None else type(default))
    metadata = {"doc": doc, "values": values, "of": of, "kind": kind, "read": read, "is_file": is_file}
    metadata["least"] = least
    return field(default=default, metadata=metadata)


_ROW_IMAGES = "changes summary check convert explain tables"
_EVERYWHERE = "records changes txn summary check convert coverage explain bytes parse rdd tables"
_of_changes = partial(_option, of="changes convert")
_of_file = partial(_option, of="records changes txn summary check convert coverage explain sniff bytes tables")
_MOST_ADJUSTED = 10**9 - 1
"""Most bytes that an adjustment may add or subtract."""
SEQ_DIGITS = 72
"""Number of hexadecimal digits in `seq`."""
_SEQ = re.compile(f"[0-9A-Fa-f]{{{SEQ_DIGITS}}}").fullmatch
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?", re.ASCII).fullmatch


_MOST_DIGITS = 18
"""Characters of a value in a message, and digits of a number; more digits do not fit 64 bits."""


def _no_value(name: str, value: object, hint: str) -> OptionError:
    return OptionError(f"{name} has no value {quoted(value)}", hint=hint)


def _seq(name: str, text: str) -> str:
    if not _SEQ(text):
        raise _no_value(name, text, f"all {SEQ_DIGITS} hexadecimal digits of a seq, as changes show it")
    return text.upper()


def _limits(name: str, text: str) -> str:
    if text and not text.strip(" ,"):
        raise _no_value(name, text, "NAME=NUMBER, or leave it out")
    Limits.parse(text)
    return text


@cache
def decided(text: str) -> dict[str, str]:
    """The decisions in a text such as `null_bytes=absent,dec_length=precision`. Raises OptionError LMP-S003."""
    found: dict[str, str] = {}
    for part in filter(str.strip, text.split(",")):
        name, is_said, value = part.partition("=")
        if not is_said:
            raise OptionError(
                f"decisions has no value {quoted(part.strip())}", hint=f"NAME=VALUE; names: {', '.join(DECISIONS)}"
            )
        name = _nearest("decisions: there is no decision", name, tuple(DECISIONS))
        if name in found:
            raise OptionError(f"decisions: {name} is given twice", hint="leave one of them out")
        found[name] = _nearest(f"decisions: {name} has no value", value, DECISIONS[name])
    return found


def _nearest(message: str, text: str, known: tuple[str, ...]) -> str:
    """The known word that a text spells in any way. Raises OptionError, which names the nearest word."""
    match = next((word for word in known if plain(word) == plain(text.strip())), None)
    if match is None:
        hint = _nearest_or(text.strip(), known, "one of " + ", ".join(known))
        raise OptionError(f"{message} {quoted(text.strip())}", hint=hint)
    return match


def _nearest_or(text: str, known: Iterable[str], otherwise: str) -> str:
    """The hint that names the word nearest to a text, or `otherwise` if no word is near."""
    words = {plain(word): word for word in known}
    near = difflib.get_close_matches(plain(text), words, n=1, cutoff=NEAR)
    return f"did you mean {words[near[0]]}?" if near else otherwise


def _decisions(name: str, text: str) -> str:
    return ",".join(f"{decision}={value}" for decision, value in decided(text).items())


def _moment(name: str, text: str) -> str:
    parts = _MOMENT(text)
    try:
        second = datetime.fromisoformat(parts[1] if parts else "")
    except ValueError:
        raise _no_value(name, text, "a time as 2026-03-14T10:11:12 or 2026-03-14T10:11:12.000123") from None
    fraction = (parts[2] or "") if parts else ""
    return f"{second.isoformat()}.{fraction:0<6}"


@dataclass(frozen=True, kw_only=True)
class Options:
    """All options for reading a log. With the defaults, the bytes of the file decide."""

    spec: str = _option(
        "bmc_lldf", "spec id of the records, or the path of a spec built elsewhere, whose code is run",
        of=f"{_EVERYWHERE} sniff",
    )  # fmt: skip
    framing: str = _option("auto", "how the records are separated", values=("auto", *FRAMINGS, *DB2_FRAMINGS))
    record_length: int | None = _option(None, "bytes of every record, for framing fixed", kind=int)
    record_length_field: str | None = _option(
        None, "field of the spec that contains the length of its record, for framing glued"
    )
    rdw_endian: str | None = _option(
        None, "byte order of the word in front of each record; default: big", values=("big", "little")
    )
    rdw_includes_header: bool | None = _option(
        None, "whether the length in that word includes the word; default: true, for framing zosmf false", kind=bool
    )
    rdw_adjustment: int | None = _option(
        None, "bytes to add to the length that the word, or recordLengthField, says; may be negative", kind=int,
        least=-_MOST_ADJUSTED,
    )  # fmt: skip
    bdw_endian: str | None = _option(
        None, "byte order of the word in front of each block; default: big", values=("big", "little")
    )
    bdw_includes_header: bool | None = _option(
        None, "whether the length in that word includes the word; default: true", kind=bool
    )
    bdw_adjustment: int | None = _option(
        None, "bytes to add to the length of a block that the word says; may be negative", kind=int,
        least=-_MOST_ADJUSTED,
    )  # fmt: skip
    rows: str | None = _option(
        None, "path of a list in a file that is one record, as packets or body.entries: a row for each item",
        of="records check convert coverage explain bytes",
    )  # fmt: skip
    file_start_offset: int = _of_file(0, "bytes at the start of the file that are not records", least=0)
    file_end_offset: int = _of_file(0, "bytes at the end of the file that are not records", least=0)
    control: str | None = _option(None, "control file of a logical log", is_file=True)
    control_framing: str = _option(
        "auto",
        "framing of the control file",
        values=("auto", *(name for name in FRAMINGS if name not in ("fixed", "whole", "parsed"))),
    )
    tables: str | None = _option(
        None, "YAML file that describes the tables of a Db2 LUW log",
        of="changes txn summary check convert coverage explain bytes tables", is_file=True,
    )  # fmt: skip
    generation: str = _option(
        "auto", "form of the Db2 LUW log record header", values=("auto", "v7", "v9.7", "v10"), of=_EVERYWHERE
    )
    byte_order: str = _option(
        "auto", "byte order of the Db2 LUW server", values=("auto", "little", "big"), of=_EVERYWHERE
    )
    code_page: str | None = _option(
        None, "page by name or CCSID; default: the one XTYP names, else cp037, for Db2 LUW 1208", of=_EVERYWHERE
    )
    mode: str = _option(
        "permissive",
        "what to do with bad records",
        values=("permissive", "dropmalformed", "failfast"),
        of="records changes txn convert rdd",
    )
    limits: str = _option(
        "",
        "other limits of what is read, as recordBytes=1G,unpackedRatio=5000; docs/limits.md lists them",
        of=f"{_EVERYWHERE} sniff docs",
        read=_limits,
    )
    columns: tuple[str, ...] = _option(
        (), "fields or columns to show, comma separated", of="records changes convert parse rdd"
    )
    enums: str = _option(
        "labels", "numbers of an enumeration: the spec's words, or as they are", values=("labels", "numbers"),
        of="records convert lines explain parse rdd",
    )  # fmt: skip
    row_images: str = _option(
        "auto", "how DATA's halfwords count", values=("auto", "total", "inclusive", "exclusive"), of=_ROW_IMAGES
    )
    decisions: str = _option(
        "",
        "what is not left to the bytes, as null_bytes=absent,dec_length=precision; "
        + "; ".join(f"{name} is {' or '.join(values)}" for name, values in DECISIONS.items()),
        of=_ROW_IMAGES,
        read=_decisions,
    )
    floats: str = _option("hfp", "external form of FLOT columns", values=("hfp", "ieee"), of="changes convert explain")
    include: tuple[str, ...] = _of_changes(
        ("committed",), "which units of recovery", values=("committed", "rolled-back", "open", "incomplete", "all")
    )
    operations: tuple[str, ...] = _of_changes(
        (), "kinds of change, comma separated", values=("I", "U", "D", "M", "T", "X", "S", "C", "O")
    )
    table: str | None = _of_changes(
        None, "one table: NAME, SCHEMA.NAME, DBID.PSID.TBOBID in hex, or TABLESPACE.TABLE of Db2 LUW"
    )
    table_version: int | None = _of_changes(None, "one version of the table, by SEQUENCENUMBER", kind=int)
    starting_seq: str | None = _of_changes(None, "only changes from this seq on, itself included", read=_seq)
    starting_after: str | None = _of_changes(None, "only changes behind this seq, itself left out", read=_seq)
    checkpoint: str | None = _option(
        None, "file that says how far the log has been read, and what the next reading needs", of="resumed"
    )
    ending_seq: str | None = _of_changes(None, "only changes up to this seq, itself included", read=_seq)
    starting_timestamp: str | None = _of_changes(
        None, "only changes committed at this time or later, as 2026-03-14T10:11:12", read=_moment
    )
    ending_timestamp: str | None = _of_changes(None, "only changes committed at this time or before", read=_moment)
    envelope: str = _of_changes(
        "flat",
        "shape of a change: as it is, an event of Debezium, or rows of Delta's change data feed",
        values=("flat", "debezium", "changefeed"),
    )
    source_time_zone: str | None = _of_changes(
        None, "zone of the commit times of a Log Master log, as Europe/Paris or +01:00, for ts_ms of envelope debezium"
    )
    header: bool = _of_changes(False, "give every header field under `header`")
    order: str = _of_changes("file", "order of changes", values=("file", "commit"))
    trim: bool = _option(True, "cut trailing blanks of CHAR columns", of="changes convert explain")
    engine: str = _option(
        "columnar",
        "decode column-wise where a plan allows it, by the generated parser (kaitai), or by both and compare (check)",
        values=("columnar", "kaitai", "check"),
        of="convert lines txn summary",
    )

    @classmethod
    def parse(cls, given: Mapping[str, Any], *, known: tuple[str, ...] = (), public: tuple[str, ...] = ()) -> Options:
        """Options from names in any spelling, and values as text or typed.

        `known` and `public` are keys of the caller, which are ignored; error messages list the public keys. Raises
        OptionError LMP-S002 for an unknown name, LMP-S003 for a value that is not allowed.
        """
        fields = {plain(entry.name): entry for entry in dataclasses.fields(cls)}
        passed = {plain(name) for name in (*known, *public)}
        values = {}
        for name, value in given.items():
            entry = fields.get(plain(name))
            if entry is not None:
                if value is not None and entry.name in values:
                    raise OptionError(f"{camel(entry.name)} is given twice, once as {name}", code="LMP-S003")
                if value is not None:
                    values[entry.name] = _parse(entry, value)
            elif plain(name) not in passed:
                names = [*(camel(entry.name) for entry in fields.values()), *public]
                hint = _nearest_or(name, names, "known: " + ", ".join(sorted(names)))
                raise OptionError(f"there is no option {quoted(name)}; {hint}", code="LMP-S002", hint=hint)
        return cls(**values)

    @property
    def bounds(self) -> Limits:
        """The limits on what is read."""
        return Limits.parse(self.limits)

    def decision(self, name: str) -> str:
        """The value of a decision in `DECISIONS`, or `auto`."""
        return decided(self.decisions).get(name, "auto")

    @property
    def of_framing(self) -> dict[str, Any]:
        """The given options for framings; FRAMING_OPTIONS has those of each framing."""
        names = dict.fromkeys(name for names in FRAMING_OPTIONS.values() for name in names)
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    @property
    def files(self) -> dict[str, str]:
        """Paths of the files that describe the log, by option."""
        return {name: path for name in FILE_OPTIONS if (path := getattr(self, name)) is not None}


FILE_OPTIONS = tuple(entry.name for entry in dataclasses.fields(Options) if entry.metadata["is_file"])
"""Options that name a file that describes a log."""


NOT_LANDED = (
    "checkpoint", "columns", "ending_seq", "ending_timestamp", "envelope", "include", "operations", "order", "rows",
    "source_time_zone", "starting_after", "starting_seq", "starting_timestamp", "table", "table_version",
)  # fmt: skip
"""Options of changes that `land` refuses. Some would leave changes out for good; others alter the form or order of
landed changes."""


def asks_for_changes(given: Iterable[str]) -> bool:
    """Whether options request changes, not records: they name no spec, or an option that applies to changes only."""
    names = {plain(name) for name in given}
    return "spec" not in names or bool(options_of_changes(given)) or bool(names.intersection(FILE_OPTIONS))


def check_taken(given: Iterable[str], by: str, what: str) -> None:
    """Raise OptionError LMP-S003 for an option that no command in `by` takes, because it would be ignored."""
    takers = set(by.split())
    names = {plain(name) for name in given}
    for entry in dataclasses.fields(Options):
        if plain(entry.name) in names and not takers.intersection(entry.metadata["of"].split()):
            raise OptionError(f"{camel(entry.name)} means nothing for {what}")


def options_of_changes(given: Iterable[str]) -> list[str]:
    """The names in `given` of options for changes only."""
    fields = {plain(entry.name): entry.metadata["of"].split() for entry in dataclasses.fields(Options)}
    return [name for name in given if "changes" in (of := fields.get(plain(name), ())) and "records" not in of]


def _parse(entry: dataclasses.Field[Any], value: Any) -> Any:
    kind, name = entry.metadata["kind"], camel(entry.name)
    if "\0" in str(value):
        raise _no_value(name, value, "a text without NUL")
    if has_half_character(str(value)):
        raise _no_value(name, value, "a text that has no half of a character")
    allowed: tuple[str, ...] = entry.metadata["values"]
    read: Callable[[str, str], str] | None = entry.metadata["read"]
    if read is not None:
        return read(name, str(value))
    if kind is bool:
        return value if isinstance(value, bool) else boolean(name, str(value))
    if kind is int:
        return _number(name, str(value), entry.metadata["least"])
    if kind is tuple:
        parts = value.split(",") if isinstance(value, str) else value
        if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
            raise _no_value(name, value, "texts in a list, or one text with commas")
        chosen = tuple(_one_of(name, part.strip(), allowed) for part in parts if part.strip())
        if not chosen and parts:
            raise _no_value(name, value, ", ".join(allowed) or "a name")
        return chosen
    is_text = isinstance(value, str | os.PathLike) or (isinstance(value, int) and not isinstance(value, bool))
    if not is_text or not str(value).strip():
        raise _no_value(name, value, "one of " + ", ".join(allowed) if allowed else "a text, or leave it out")
    return _one_of(name, str(value), allowed)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if not allowed:
        return value
    match = next((choice for choice in allowed if plain(choice) == plain(value)), None)
    if match is None:
        raise _no_value(name, value, "one of " + ", ".join(allowed))
    return match


def truth(name: str, given: Any) -> bool:
    """A boolean argument of a program. Raises TypeError for other types: the text "false" would count as true."""
    if not isinstance(given, bool):
        raise TypeError(f"{name} is True or False, and {given!r:.60} is given")
    return given


def boolean(name: str, text: str) -> bool:
    """The boolean in a text. Raises OptionError LMP-S003."""
    if text.lower() in _TRUE + _FALSE:
        return text.lower() in _TRUE
    raise _no_value(name, text, "true or false")


def _number(name: str, text: str, least: int) -> int:
    """The number in a text: above zero, from zero, or with a sign, as `least` allows. Raises OptionError LMP-S003."""
    if least > 0:
        return positive(name, text)
    digits = text[1:] if text[:1] in ("-", "+") and least < 0 else text
    most = len(str(-least)) if least else _MOST_DIGITS
    if digits.isascii() and digits.isdigit() and len(digits) <= most:
        return int(text)
    kind = "a whole number" if least else "a whole number from zero"
    raise _no_value(name, text, f"{kind}, of at most {most} digits")


def positive(name: str, text: str) -> int:
    """The number above zero in a text. Raises OptionError LMP-S003."""
    if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS and int(text) > 0:
        return int(text)
    most = f", of at most {_MOST_DIGITS} digits" if len(text) > _MOST_DIGITS else ""
    raise _no_value(name, text, f"a whole number above zero{most}")
