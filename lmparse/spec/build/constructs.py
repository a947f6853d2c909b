"""Constructs: every key and word that a spec may have, in one table.

The build step and lint refuse what is not in it; keys that begin with a dash and are not ours mean nothing and are
taken. A test asks the compiler which keys it knows at each level, so that a release with a new one is noticed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, NamedTuple

from lmparse.spec.build.shape import Finding
from lmparse.spec.kind_words import KIND_WORDS


class Level(Enum):
    """Where in a spec a key or a word is; the value is what messages call the place."""

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


class Form(Enum):
    """What the value of a key must be; the value is how messages say it."""

    TEXT = "text"
    TEXTS = "text, or a list of texts"
    VERSION = "text or a number"
    FLAG = "true or false"
    EXPRESSION = "an expression: text, a number, true or false"
    BYTE = "a number from 0 to 255"
    LIST = "a list"
    MAPPING = "a mapping of keys"
    ANY = "anything"


class Construct(NamedTuple):
    """One key or word."""

    level: Level
    word: str
    """The key; for words of types and processes the part before digits or arguments."""
    form: Form
    doc: str
    is_ours: bool = False
    """Whether lmparse adds it to those of Kaitai Struct."""

    @property
    def name(self) -> str:
        """Its name in lists of all constructs: `FIELD.size-eos`."""
        return f"{self.level.name}.{self.word}"


def _table(level: Level, rows: str, is_ours: bool = False) -> list[Construct]:
    """Constructs of a level from lines `word FORM doc`."""
    split = [line.split(maxsplit=2) for line in rows.strip().splitlines()]
    return [Construct(level, word, Form[form], doc, is_ours) for word, form, doc in split]


_READING = """
type         ANY        type of what is read: a word, the name of a type, or cases to switch between
size         EXPRESSION number of bytes
size-eos     FLAG       all bytes to the end of the stream
encoding     TEXT       encoding of a text
terminator   BYTE       byte that ends it
consume      FLAG       whether the terminator is taken from the stream
include      FLAG       whether the terminator is part of the value
eos-error    FLAG       whether a missing terminator is an error
pad-right    BYTE       byte that fills it up at its end
contents     ANY        bytes that must be there
process      TEXT       how its bytes are changed before they are read
enum         TEXT       enumeration of its values
valid        ANY        what its value must be
repeat       TEXT       that there are many, and what ends them
repeat-expr  EXPRESSION how many there are
repeat-until EXPRESSION condition on the last one
if           EXPRESSION condition that it is there
parent       EXPRESSION object that is the parent of what is read
doc          TEXT       what it is
doc-ref      TEXTS      where its source describes it
"""
_OUR_OWN = """
-orig-id   ANY  name or names in the vendor's spelling
-codec     TEXT code page of text: a name, `ebcdic` or `database`
-unit      TEXT unit of a number
-scale     ANY  digits behind the point of a whole number or decimal
-lm-status TEXT documented, inferred or unknown
-lm-valid-status TEXT the same of what `valid` demands, where it differs
-lm-type   TEXT kind of a value, where its type does not say it
-lm-source TEXT where the value of a field comes from
"""
_OF_INSTANCES = "-lm-column FLAG whether it is a column; a helper, which decides how bytes are read, is none\n"
CONSTRUCTS: tuple[Construct, ...] = (
    *_table(
        Level.TYPE,
        """
meta      MAPPING about the spec or type as a whole
doc       TEXT    what it is
doc-ref   TEXTS   where its source describes it
to-string ANY     expression that gives an object as text
params    LIST    values that it must be given
seq       LIST    fields in their order
instances MAPPING values at other places, or calculated
types     MAPPING types inside it
enums     MAPPING enumerations inside it
""",
    ),
    *_table(
        Level.TYPE,
        """
-orig-id   ANY  name or names in the vendor's spelling
-lm-type   TEXT kind of a field of this type, when it is one value
-lm-source TEXT where what it says comes from
""",
        is_ours=True,
    ),
    *_table(
        Level.META,
        """
id                     TEXT    name, also of the file
title                  TEXT    title
application            TEXTS   programs that write it
file-extension         TEXTS   ends of the names of files
xref                   MAPPING the format in other catalogues
tags                   LIST    words to find it by
license                TEXT    licence of the spec
ks-version             VERSION least version of the compiler
ks-debug               FLAG    parsers that record offsets; refused, since the build step makes these itself
ks-opaque-types        FLAG    types from other programs; refused, since they are code
ks-zero-copy-substream FLAG    whether parts share the bytes of the whole
imports                TEXTS   specs whose types it uses
encoding               TEXT    encoding of texts that name none
endian                 ANY     byte order of numbers
bit-endian             TEXT    order of bits
""",
    ),
    *_table(Level.ENDIAN, "switch-on EXPRESSION value that decides\ncases MAPPING byte orders by this value"),
    *_table(Level.FIELD, f"id TEXT name\n{_READING.strip()}"),
    *_table(Level.FIELD, _OUR_OWN, is_ours=True),
    *_table(Level.INSTANCE, f"pos EXPRESSION offset in the stream\nio TEXT stream to read from\n{_READING.strip()}"),
    *_table(Level.INSTANCE, _OUR_OWN + _OF_INSTANCES, is_ours=True),
    *_table(
        Level.VALUE_INSTANCE,
        """
value   ANY        the expression
enum    TEXT       enumeration of its values
if      EXPRESSION condition that it is there
doc     TEXT       what it is
doc-ref TEXTS      where its source describes it
""",
    ),
    *_table(Level.VALUE_INSTANCE, _OUR_OWN + _OF_INSTANCES, is_ours=True),
    *_table(
        Level.PARAM,
        """
id      TEXT  name
type    TEXT  type
enum    TEXT  enumeration of its values
doc     TEXT  what it is
doc-ref TEXTS where its source describes it
""",
    ),
    *_table(Level.PARAM, _OUR_OWN, is_ours=True),
    *_table(Level.SWITCH, "switch-on EXPRESSION value that decides\ncases MAPPING types by this value"),
    *_table(Level.MEMBER, "id TEXT name\ndoc TEXT what it is\ndoc-ref TEXTS where its source describes it"),
    *_table(
        Level.MEMBER,
        """
-orig-id   ANY  name or names in the vendor's spelling
-lm-status TEXT documented, inferred or unknown, where it differs from the field
""",
        is_ours=True,
    ),
    *_table(
        Level.VALID,
        """
eq      ANY        the one value
min     EXPRESSION least value
max     EXPRESSION largest value
any-of  LIST       all values
in-enum FLAG       that the enumeration lists the value
expr    EXPRESSION condition on the value, `_`
""",
    ),
    *_table(Level.REPEAT_WORD, "eos ANY to the end of the stream\nexpr ANY so many\nuntil ANY until one is the last"),
    *_table(
        Level.PROCESS_WORD,
        "xor ANY exclusive or with a key\nrol ANY bits rotated left\nror ANY bits rotated right\nzlib ANY unpacked",
    ),
    *_table(
        Level.TYPE_WORD,
        """
u      ANY whole number without sign of 1, 2, 4 or 8 bytes, with a byte order
s      ANY whole number with sign, the same
f      ANY IEEE number of 4 or 8 bytes
b      ANY whole number of bits, with an order of bits
str    ANY text
strz   ANY text that a terminator ends
bool   ANY true or false, of a parameter
bytes  ANY bytes, of a parameter
io     ANY stream, of a parameter
any    ANY anything, of a parameter
struct ANY any object, of a parameter
""",
    ),
    *_table(Level.ORDER_WORD, "le ANY least significant first\nbe ANY most significant first"),
)
_BY_LEVEL: dict[Level, dict[str, Construct]] = {
    level: {entry.word: entry for entry in CONSTRUCTS if entry.level is level} for level in Level
}


def words(level: Level, *, ours: bool | None = None) -> frozenset[str]:
    """The keys or words of a level; all, or only those that lmparse adds, or only those of Kaitai Struct."""
    return frozenset(entry.word for entry in _BY_LEVEL[level].values() if ours is None or entry.is_ours == ours)


def findings(tree: dict[Any, Any], where: str = "") -> Iterator[Finding]:
    """The keys in a spec, and in the types inside it, that are not in the table, and values of another form."""
    yield from _keys(where, tree, Level.TYPE)
    meta = tree.get("meta", {})
    yield from _keys(f"{where}/meta", meta, Level.META)
    if isinstance(meta.get("endian"), dict):
        yield from _keys(f"{where}/meta/endian", meta["endian"], Level.ENDIAN)
    for number, entry in enumerate(tree.get("params", [])):
        yield from _keys(f"{where}/params/{number}", entry, Level.PARAM)
    for number, entry in enumerate(tree.get("seq", [])):
        yield from _attribute(f"{where}/seq/{number}", entry, Level.FIELD)
    for name, entry in tree.get("instances", {}).items():
        level = Level.VALUE_INSTANCE if "value" in entry else Level.INSTANCE
        yield from _attribute(f"{where}/instances/{name}", entry, level)
    for name, members in tree.get("enums", {}).items():
        for key, entry in members.items():
            yield from _keys(f"{where}/enums/{name}/{key}", entry, Level.MEMBER)
    for name, inner in tree.get("types", {}).items():
        yield from findings(inner, f"{where}/types/{name}")


def _attribute(where: str, entry: dict[Any, Any], level: Level) -> Iterator[Finding]:
    yield from _keys(where, entry, level)
    yield from _keys(f"{where}/type", entry.get("type"), Level.SWITCH)
    yield from _keys(f"{where}/valid", entry.get("valid"), Level.VALID)


def _keys(where: str, entry: Any, level: Level) -> Iterator[Finding]:
    """Findings of one mapping; what is not a mapping has no keys."""
    known = _BY_LEVEL[level]
    for key, value in entry.items() if isinstance(entry, dict) else ():
        if key in known:
            form = known[key].form
            if not _fits(value, form):
                yield f"{where}/{key}", f"{_short(value)} is not {form.value}{_quote(value, form)}"
            elif key == "-lm-type" and value not in KIND_WORDS:
                yield f"{where}/{key}", f"there is no -lm-type {value}{nearest(value, KIND_WORDS)}"
        elif not str(key).startswith("-") or str(key).startswith("-lm-"):
            yield f"{where}/{key}", f"there is no key {key} in {level.value}{nearest(str(key), known)}"


def nearest(word: str, known: Iterable[str]) -> str:
    """The words that are meant, as the end of a message."""
    words = list(known)
    return near(word, words) or f"; there are {', '.join(words)}"


def near(word: str, known: Iterable[str]) -> str:
    """The word that is meant, as the end of a message; empty if none is similar."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {found[0]}?" if found else ""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _quote(value: Any, form: Form) -> str:
    is_plain = isinstance(value, bool | int | float) and form in (Form.TEXT, Form.TEXTS)
    return "; quote it" if is_plain else ""


def _fits(value: Any, form: Form) -> bool:
    if form is Form.TEXTS and isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    if form is Form.BYTE:
        return type(value) is int and 0 <= value <= 255
    return isinstance(value, _PYTHON[form])


_PYTHON: dict[Form, Any] = {
    Form.TEXT: str,
    Form.TEXTS: str,
    Form.VERSION: str | int | float,
    Form.FLAG: bool,
    Form.EXPRESSION: str | int | float | bool,
    Form.LIST: list,
    Form.MAPPING: dict,
    Form.ANY: object,
}


def type_word(name: str) -> str | None:
    """The word of the table that a name of a type is, without width and order; None for the name of a type."""
    name = name.removesuffix("[]")
    if number := re.fullmatch(r"(?:([us])[1248]|(f)[48]|(b)[0-9]+)(?:le|be)?", name):
        return str(number[1] or number[2] or number[3])
    return name if len(name) > 1 and name in _BY_LEVEL[Level.TYPE_WORD] else None
