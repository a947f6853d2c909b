"""Constructs: every key and word that a spec may have, in the table `constructs.toml`, and findings by this table.

All else is refused, except keys with a dash that are not lmparse's: they mean nothing here. A test compares the keys of
each level with the compiler's, to notice new keys in a release.
"""

from __future__ import annotations

import codecs
import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from lmparse.spec.kind_words import KIND_WORDS
from lmparse.spec.page_names import PAGES, PAGES_OF_THE_FILE, maybe_named

Finding = tuple[str, str]
"""Path in the spec, and message."""
TOO_DEEP: Finding = ("/types", "types are in one another too deep to be followed")
"""The finding if types of a spec are nested deeper than Python's calls."""


class Level(Enum):
    """Where in a spec a key or word is; the value is the name of the place in messages."""

    TYPE = "a spec or type"
    META = "meta"
    ENDIAN = "an endian that switches"
    FIELD = "a field"
    INSTANCE = "an instance"
    VALUE_INSTANCE = "an instance with a value"
    PARAM = "a parameter"
    SWITCH = "a type that switches"
    MEMBER = "a member of an enumeration"
    VALID = "valid"
    REPEAT_WORD = "repeat"
    PROCESS_WORD = "process"
    TYPE_WORD = "type"
    ORDER_WORD = "endian and bit-endian"


_FORMS: dict[str, tuple[str, Any]] = {
    "TEXT": ("text", str),
    "TEXTS": ("text, or a list of texts", str | list),
    "TYPE": ("the name of a type, or cases", str | dict),
    "VERSION": ("text or a number", str | int | float),
    "FLAG": ("true or false", bool),
    "EXPRESSION": ("an expression: text, a number, true or false", str | int | float | bool),
    "WHOLE": ("a whole number", int),
    "BYTE": ("a number from 0 to 255", int),
    "LIST": ("a list", list),
    "MAPPING": ("a mapping of keys", dict),
    "ANY": ("anything", object),
}
"""What the value of a key must be: the words of messages, and the types in Python."""


class Construct(NamedTuple):
    """One key or word."""

    level: Level
    word: str
    """The key; for words of types and processes, the part in front of digits or arguments."""
    form: str
    """One of _FORMS."""
    doc: str

    @property
    def is_ours(self) -> bool:
        """Whether the word is an addition of lmparse to Kaitai Struct."""
        return self.word.startswith("-")

    @property
    def name(self) -> str:
        """Name in lists of all constructs: `FIELD.size-eos`."""
        return f"{self.level.name}.{self.word}"


_SECTIONS = tomllib.loads(Path(__file__).with_name("constructs.toml").read_text("utf-8")).items()
CONSTRUCTS = tuple(
    Construct(level, word, form, doc)
    for level in Level
    for names, entries in _SECTIONS
    if level.name in names.split()
    for word, (form, doc) in entries.items()
)
_BY_LEVEL = {level: {entry.word: entry for entry in CONSTRUCTS if entry.level is level} for level in Level}
_SWITCH = ("switch-on", "cases")
_NEEDED = {Level.PARAM: ("id",), Level.SWITCH: _SWITCH, Level.ENDIAN: _SWITCH, Level.MEMBER: ("id",)}
_EMPTY = "the key is empty, or a word that YAML reads as nothing: give a name, or quote it"
_STATUSES = ("documented", "inferred", "unknown")
_INT64 = range(-(1 << 63), 1 << 63)
_ENCODING = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:()-]*", re.ASCII).fullmatch
_PROCESS = re.compile(r"zlib|(?:xor|rol|ror)\(.*\)", re.DOTALL).fullmatch


def words(level: Level, *, ours: bool | None = None) -> frozenset[str]:
    """The keys or words of a level: all (None), only lmparse's additions, or only those of Kaitai Struct."""
    return frozenset(entry.word for entry in _BY_LEVEL[level].values() if ours is None or entry.is_ours == ours)


def type_word(name: str) -> str | None:
    """The table's word for a built-in type, without width and order; None for other types."""
    name = name.removesuffix("[]")
    if number := re.fullmatch(r"(?:([us])[1248]|(f)[48]|(b)[0-9]+)(?:le|be)?", name):
        return str(number[1] or number[2] or number[3])
    return name if len(name) > 1 and name in _BY_LEVEL[Level.TYPE_WORD] else None


def misshapen(tree: Any) -> Iterator[Finding]:
    """Yield entries with a wrong form for their place. A spec without such findings can be read."""
    for where, level, entry in _entries("", tree):
        known = _BY_LEVEL[level]
        if not isinstance(entry, dict):
            yield where, "expected a mapping of keys"
            continue
        for key, value in entry.items():
            if key is None:
                yield f"{where}/{key}", _EMPTY
            elif key in known and not _fits(value, known[key].form):
                is_text = known[key].form in ("TEXT", "TEXTS", "TYPE") and isinstance(value, bool | int | float)
                text = f"{_short(value)} is not {_FORMS[known[key].form][0]}"
                yield f"{where}/{key}", f"{text}; quote it" if is_text else text
        yield from (
            (where, f"there is no {key} in {level.value}") for key in _NEEDED.get(level, ()) if key not in entry
        )
        if level is Level.TYPE:
            yield from _names(where, entry)
        for key, case in _items(entry.get("cases") if level in (Level.SWITCH, Level.ENDIAN) else ()):
            if level is Level.SWITCH and not isinstance(case, str):
                yield f"{where}/cases/{key}", "a case is the name of a type"
            elif level is Level.ENDIAN and case not in ("le", "be"):
                yield f"{where}/cases/{key}", f"{_short(case)} is not le or be"


def unknown(tree: dict[Any, Any]) -> Iterator[Finding]:
    """Yield unknown keys and words in a spec."""
    for where, level, entry in _entries("", tree):
        known = _BY_LEVEL[level]
        for key, value in entry.items():
            if key not in known and (not str(key).startswith("-") or str(key).startswith("-lm-")):
                yield f"{where}/{key}", f"there is no key {key} in {level.value}{nearest(str(key), known)}"
            elif key in known and (text := _unknown(key, value)):
                yield f"{where}/{key}", text


def _entries(where: str, tree: Any) -> Iterator[tuple[str, Level, Any]]:
    """Yield all entries that must be mappings with the keys of a level, with their paths."""
    yield where, Level.TYPE, tree
    if not isinstance(tree, dict):
        return
    if isinstance(meta := tree.get("meta"), dict):
        yield f"{where}/meta", Level.META, meta
        if isinstance(meta.get("endian"), dict):
            yield f"{where}/meta/endian", Level.ENDIAN, meta["endian"]
    for section, level in (("params", Level.PARAM), ("seq", Level.FIELD), ("instances", Level.INSTANCE)):
        for key, entry in _items(tree.get(section)):
            place = f"{where}/{section}/{key}"
            is_calculated = level is Level.INSTANCE and isinstance(entry, dict) and "value" in entry
            yield place, Level.VALUE_INSTANCE if is_calculated else level, entry
            for name, inside in (("type", Level.SWITCH), ("valid", Level.VALID)):
                if level is not Level.PARAM and isinstance(entry, dict) and isinstance(entry.get(name), dict):
                    yield f"{place}/{name}", inside, entry[name]
    for name, members in _items(tree.get("enums")):
        for key, entry in _items(members):
            if isinstance(entry, dict):
                yield f"{where}/enums/{name}/{key}", Level.MEMBER, entry
    for name, inner in _items(tree.get("types")):
        yield from _entries(f"{where}/types/{name}", inner)


def _items(section: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(section, dict):
        return section.items()
    return enumerate(section) if isinstance(section, list) else ()


def _names(where: str, tree: dict[Any, Any]) -> Iterator[Finding]:
    """Yield wrong names, and members of enumerations that are not a number and a name."""
    for section in ("instances", "types", "enums"):
        for name, members in _items(tree.get(section)):
            place = f"{where}/{section}/{name}"
            if not isinstance(name, str):
                yield place, _EMPTY if name is None else f"{name!r} is not a name; quote it"
            if section == "enums" and not isinstance(members, dict):
                yield place, "expected a mapping of keys"
            for key, entry in _items(members) if section == "enums" else ():
                number = enum_number(key)
                if number is None:
                    yield f"{place}/{key}", f"{key!r} is not a whole number"
                elif number not in _INT64:
                    yield f"{place}/{key}", "the compiler takes no number of more than 63 bits here"
                if not isinstance(entry, str | dict):
                    yield f"{place}/{key}", f"{_short(entry)} is not a name{'; quote it' * (entry is not None)}"


def _unknown(key: str, value: Any) -> str:
    """Why a key cannot have a value; empty if it can."""
    if key == "-lm-type" and value not in KIND_WORDS:
        return f"there is no -lm-type {value}{nearest(value, KIND_WORDS)}"
    if key in ("-lm-status", "-lm-valid-status") and value not in _STATUSES:
        return f"{key} is {value!r}, not one of {', '.join(_STATUSES)}"
    if key == "-codec" and value not in PAGES_OF_THE_FILE and maybe_named(value) is None:
        known = (*PAGES_OF_THE_FILE, *(page.name for page in PAGES.values()))
        return f"there is no code page {value!r}{near(value, known)}"
    if key == "encoding" and not _ENCODING(value):
        return f"{value[:60]!r} is not the name of an encoding"
    if key == "encoding" and not _is_encoding(value):
        return f"Python has no encoding {value[:60]!r}"
    if key == "process" and not _PROCESS(value):
        return f"{value[:60]!r} is not one of xor(), rol(), ror() and zlib"
    if key in ("ks-opaque-types", "ks-debug") and value is not False:
        return f"{key} is not taken: it makes other code than a parser of the spec"
    if key == "contents" and isinstance(value, list):
        wrong = [one for one in value if not (isinstance(one, str) or _fits(one, "BYTE"))]
        return f"{_short(wrong[0])} is not a number from 0 to 255 or a text" if wrong else ""
    if key == "doc-ref" and not all(text.strip("\r\n") for text in texts(value)):
        return "doc-ref has no text"
    return ""


def _is_encoding(name: str) -> bool:
    """Whether Python has this encoding of text; other codecs, such as `hex`, are for bytes."""
    try:
        codecs.lookup(name)
        b"a".decode(name)
    except UnicodeError:
        return True
    except LookupError:
        return False
    return True


def nearest(word: str, known: Iterable[str]) -> str:
    """The intended words, as the end of a message."""
    words = list(known)
    return near(word, words) or f"; there are {', '.join(words)}"


def near(word: str, known: Iterable[str]) -> str:
    """The intended word, as the end of a message; empty if no word is similar."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {found[0]}?" if found else ""


def _short(value: Any) -> str:
    text = "an empty value" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _fits(value: Any, form: str) -> bool:
    if form in ("WHOLE", "BYTE") and isinstance(value, bool):
        return False
    is_form = isinstance(value, _FORMS[form][1])
    if form == "TEXTS" and isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return is_form and (form != "BYTE" or 0 <= value <= 255)


def texts(value: Any) -> list[str]:
    """The texts of a key that may have one text or a list, such as imports and `-orig-id`."""
    return value if isinstance(value, list) else [value]


def enum_number(key: Any) -> int | None:
    """The value of a key of an enumeration, None if it is no number; large values are written as text."""
    if isinstance(key, str):
        try:
            return int(key, 0)
        except ValueError:
            return None
    return key if type(key) is int else None
