"""Emitted: checks that what is generated from a spec holds what the compiler is known to emit, and nothing else.

A parser is Python that is run. Its syntax tree may have classes, methods of known names, imports and calls from closed
lists, and docstrings that are the docs of the spec. So a text of a spec that leaves its literal, or a name that means
something else in Python, does not get into a product.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Container, Iterable
from typing import Any

from lmparse.spec.build.guards import GUARDS

_MODULES = ("kaitaistruct", "collections", "struct")
_FROM = {
    (0, "kaitaistruct"): ("KaitaiStruct", "KaitaiStream", "BytesIO"),
    (0, "enum"): ("IntEnum",),
    **{(0, module): names for module, names in GUARDS.items()},
}
_BASES = ("KaitaiStruct", "IntEnum")
_METHODS = ("__init__", "_read", "_read_le", "_read_be", "_fetch_instances", "__str__")
_FUNCTIONS = frozenset((
    "super", "hasattr", "getattr", "isinstance", "len", "int", "str", "range", "min", "max", "Exception",
    "KaitaiStream", "BytesIO", *(name for names in GUARDS.values() for name in names),
))  # fmt: skip
"""Names that are called as such."""
_BUILTINS = _FUNCTIONS | {*_MODULES, "KaitaiStruct", "IntEnum", "property", "dict"}
_CALLED = frozenset((
    "append", "bytes_strip_right", "bytes_terminate", "bytes_terminate_multi", "byte_array_index", "byte_array_max",
    "byte_array_min", "decode", "defaultdict", "is_eof", "pos", "process_xor_one",
    "read_bits_int_be", "read_bits_int_le", "read_bytes", "read_bytes_full",
    "read_bytes_term", "read_bytes_term_multi", "resolve_enum", "seek", "size",
    "UndecidedEndiannessError", "ValidationExprError", "ValidationGreaterThanError", "ValidationLessThanError",
    "ValidationNotAnyOfError", "ValidationNotEqualError", "ValidationNotInEnumError",
    *(f"read_{kind}{width}{end}" for kind in "us" for width in (2, 4, 8) for end in ("be", "le")),
    *(f"read_f{width}{end}" for width in (4, 8) for end in ("be", "le")), "read_u1", "read_s1",
)) | set(_METHODS)  # fmt: skip
"""Attributes that are called, beside the classes of specs."""
_DUNDER = frozenset(("__init__", "__version__"))
_STATEMENTS = (
    ast.Assign,
    ast.AugAssign,
    ast.If,
    ast.For,
    ast.While,
    ast.Try,
    ast.Return,
    ast.Raise,
    ast.Pass,
    ast.Break,
)
_EXPRESSIONS = (
    ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.keyword, ast.Subscript, ast.Slice, ast.Compare, ast.UnaryOp,
    ast.BinOp, ast.BoolOp, ast.IfExp, ast.List, ast.Tuple, ast.Dict, ast.expr_context, ast.operator, ast.unaryop,
    ast.boolop, ast.cmpop,
)  # fmt: skip
_DATA = (ast.Constant, ast.Call, ast.keyword, ast.Tuple, ast.List, ast.Dict, ast.UnaryOp, ast.USub, ast.Name, ast.Load)
_LAYOUT_CALLS = ("Case", "Code", "Computed", "Field", "Layout")


class Unknown(Exception):
    """Something that the compiler is not known to emit."""

    def __init__(self, node: ast.AST, what: str) -> None:
        super().__init__(f"line {getattr(node, 'lineno', 1)}: {what}")


def foreign_in_parser(text: str, ids: Container[str], classes: Iterable[str], docs: Container[str]) -> str | None:
    """What a generated parser has that the compiler is not known to emit, in words; None when there is nothing.

    `ids` are the specs it may import, `classes` the names of their classes, `docs` the docstrings, see `docstring`.
    """
    try:
        _Parser(ids, frozenset(classes), docs).check(ast.parse(text))
    except (Unknown, SyntaxError, ValueError) as error:
        return str(error)
    return None


def foreign_in_layouts(text: str) -> str | None:
    """The same of `layouts.py`, which is an import and one table of constants."""
    try:
        _, imported, table = ast.parse(text).body
        _require(isinstance(imported, ast.ImportFrom) and isinstance(table, ast.AnnAssign), imported, "not a table")
        for node in ast.walk(getattr(table, "value", table)):
            _require(isinstance(node, _DATA), node, f"{type(node).__name__} in a table")
            if isinstance(node, ast.Call):
                _require(_name(node.func) in _LAYOUT_CALLS, node, f"a call of {ast.unparse(node.func)}")
            elif isinstance(node, ast.Name):
                _require(node.id in _LAYOUT_CALLS, node, f"the name {node.id}")
    except (Unknown, SyntaxError, ValueError) as error:
        return str(error)
    return None


def foreign_in_stub(text: str) -> str | None:
    """The same of a stub, which has classes, annotations and methods without a body, and no call."""
    kinds = (ast.Module, ast.ImportFrom, ast.alias, ast.ClassDef, ast.FunctionDef, ast.arguments, ast.arg,
             ast.Assign, ast.AnnAssign, ast.Expr, *_EXPRESSIONS)  # fmt: skip
    try:
        for node in ast.walk(ast.parse(text)):
            _require(isinstance(node, kinds) and not isinstance(node, ast.Call), node, type(node).__name__)
            if isinstance(node, ast.ImportFrom):
                _require(node.level == 1 or node.module in ("enum", "typing"), node, f"an import of {node.module}")
            elif isinstance(node, ast.Expr):
                _require(isinstance(node.value, ast.Constant) and node.value.value is ..., node, "an expression")
    except (Unknown, SyntaxError, ValueError) as error:
        return str(error)
    return None


class _Parser:
    """Checks one generated parser. Every method raises Unknown."""

    def __init__(self, ids: Container[str], classes: frozenset[str], docs: Container[str]) -> None:
        self._ids = ids
        self._classes = classes
        self._docs = docs
        self._names: set[str] = set()

    def check(self, tree: ast.Module) -> None:
        """Check the whole module."""
        self._names = set(_BUILTINS) | {
            name
            for node in ast.walk(tree)
            for name in (
                [node.arg] if isinstance(node, ast.arg)
                else [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                else [node.name] if isinstance(node, ast.ClassDef | ast.alias)
                else []
            )
        }  # fmt: skip
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
            elif isinstance(node, ast.ClassDef):
                self._class(node)
            else:
                _require(isinstance(node, ast.If) and ast.unparse(node.test).startswith("getattr(kaitaistruct, "),
                         node, ast.unparse(node)[:60])  # fmt: skip
                self._statement(node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.Import):
            allowed: Container[str] = _MODULES
        else:
            is_own = (node.level, node.module) == (1, None)
            allowed = self._ids if is_own else _FROM.get((node.level, node.module or ""), ())
        known = all(name in allowed for name in names) and not any(alias.asname for alias in node.names)
        _require(known, node, f"an import, {ast.unparse(node)}")

    def _class(self, node: ast.ClassDef) -> None:
        bases = [_name(base) for base in node.bases]
        plain = len(bases) == 1 and bases[0] in _BASES and not node.keywords and not node.decorator_list
        _require(plain and node.name in self._classes, node, f"the class {node.name}")
        for number, entry in enumerate(node.body):
            if isinstance(entry, ast.ClassDef):
                self._class(entry)
            elif isinstance(entry, ast.FunctionDef):
                self._function(entry)
            elif isinstance(entry, ast.Expr):
                self._docstring(entry, is_first=number == 0)
            elif bases[0] == "IntEnum":
                _require(isinstance(entry, ast.Assign) and _is_number(entry.value), entry, "not a number")
                _require(all(map(_is_member, getattr(entry, "targets", ()))), entry, "not a member")
            else:
                self._seq_fields(entry)

    def _seq_fields(self, node: ast.stmt) -> None:
        found = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SEQ_FIELDS"
        value = ast.literal_eval(node.value) if isinstance(node, ast.Assign) and found else None
        _require(isinstance(value, list), node, "an assignment in a class")

    def _docstring(self, node: ast.Expr, *, is_first: bool) -> None:
        value = node.value.value if isinstance(node.value, ast.Constant) else None
        fits = isinstance(value, str) and squeezed(value) in self._docs
        _require(is_first and fits, node, "a docstring that is not a doc of the spec")

    def _function(self, node: ast.FunctionDef) -> None:
        decorators = [_name(entry) for entry in node.decorator_list]
        is_method = node.name in _METHODS and not decorators
        is_instance = decorators == ["property"] and not node.name.startswith("_")
        bare = not any(entry.annotation for entry in node.args.args) and node.returns is None
        defaults = all(isinstance(value, ast.Constant) and value.value is None for value in node.args.defaults)
        _require((is_method or is_instance) and bare and defaults, node, f"the function {node.name}")
        for number, entry in enumerate(node.body):
            if isinstance(entry, ast.Expr) and isinstance(entry.value, ast.Constant):
                self._docstring(entry, is_first=number == 0)
            else:
                self._statement(entry)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Expr):
            _require(isinstance(node.value, ast.Call), node, "an expression without effect")
        else:
            _require(isinstance(node, _STATEMENTS), node, type(node).__name__)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self._statement(child)
            else:
                _require(not isinstance(child, ast.ExceptHandler), child, "a handler of errors")
                self._expression(child)

    def _expression(self, top: ast.AST) -> None:
        for node in ast.walk(top):
            _require(isinstance(node, _EXPRESSIONS), node, type(node).__name__)
            if isinstance(node, ast.Call):
                self._call(node)
            elif isinstance(node, ast.Name):
                _require(node.id in self._names, node, f"the name {node.id}")
                _require(isinstance(node.ctx, ast.Load) or node.id not in _BUILTINS, node, f"a new {node.id}")
            elif isinstance(node, ast.Attribute):
                _require(not node.attr.startswith("__") or node.attr in _DUNDER, node, f"the attribute {node.attr}")

    def _call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            known = node.func.attr in _CALLED or node.func.attr in self._classes
        else:
            known = _name(node.func) in _FUNCTIONS or _name(node.func) in self._classes
        if _name(node.func) in ("getattr", "hasattr"):
            name = node.args[1].value if isinstance(node.args[1], ast.Constant) else ""
            known = isinstance(name, str) and name.isidentifier() and not name.startswith("__")
        known = known or _packs_bytes(node)
        _require(known and not node.keywords, node, f"a call of {ast.unparse(node.func)[:60]}")


def _packs_bytes(node: ast.Call) -> bool:
    """Whether a call is `struct.pack('3B', …)`, a list of bytes that are not all constant."""
    form = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else ""
    return ast.unparse(node.func) == "struct.pack" and isinstance(form, str) and bool(re.fullmatch("[0-9]+B", form))


def _is_member(node: ast.expr) -> bool:
    """Whether a target is a name, or `vars()["not"]` with a keyword."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        name = node.slice.value
        return isinstance(name, str) and keyword.iskeyword(name) and ast.unparse(node.value) == "vars()"
    return isinstance(node, ast.Name)


def _is_number(node: ast.expr) -> bool:
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(node, ast.Constant) and type(node.value) is int


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _require(holds: bool, node: ast.AST, what: str) -> None:
    if not holds:
        raise Unknown(node, what)


# -- docs -----------------------------------------------------------------------------------


def docstrings(tree: Any) -> set[str]:
    """The docstrings that the docs anywhere in a spec give, squeezed."""
    found: set[str] = set()
    if isinstance(tree, dict):
        if "doc" in tree or "doc-ref" in tree:
            found.add(_docstring_of(tree))
        for value in tree.values():
            found |= docstrings(value)
    elif isinstance(tree, list):
        for value in tree:
            found |= docstrings(value)
    return found


def squeezed(text: str) -> str:
    """A text without white space: the compiler indents it."""
    return "".join(text.split())


def _docstring_of(tree: dict[Any, Any]) -> str:
    text = str(tree.get("doc") or "")
    refs = tree.get("doc-ref") or []
    if text and text[-1] not in ".\n":
        text += "."
    return squeezed(
        text + "".join(f"..seealso::{_reference(str(ref))}" for ref in ([refs], refs)[isinstance(refs, list)])
    )


def _reference(text: str) -> str:
    """A reference as the compiler writes it: an address stands behind its name."""
    if not text.startswith(("http://", "https://")):
        return text
    address, _, name = text.partition(" ")
    return f"{name or 'Source'} - {address}"
