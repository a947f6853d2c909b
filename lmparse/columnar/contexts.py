"""Contexts: the values of names in an expression, from the objects around it and the stream being read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from lmparse.columnar.cursors import Place, Stream, UnfitError
from lmparse.columnar.expressions import Evaluator, Vector, joined
from lmparse.columnar.members import item_of, of_lists, of_values
from lmparse.columnar.objects import Lists, Objects, Parts, Reference
from lmparse.spec.layout import Expression, Field, Layout
from lmparse.values.byte_arrays import Int64s


class Reader(Protocol):
    """The methods of `lmparse.columnar.reading.Reading` that contexts, branches and lists need."""

    layouts: Mapping[str, Layout]

    def attribute(self, objects: Objects, name: str, stream: Stream | None = None) -> Any: ...

    def one(self, context: Context, stream: Stream, entry: Field) -> Parts: ...

    def bytes_of(self, context: Context, stream: Stream, entry: Field) -> tuple[Place, int | Int64s]: ...

    def restored(self, context: Context, stream: Stream, entry: Field) -> Stream: ...

    def width_of(self, entry: Field) -> int | None: ...

    def inner(self, context: Context, type_: str, arguments: tuple[Expression, ...], stream: Stream) -> Objects: ...

    def read_fields(self, objects: Objects) -> None: ...


@dataclass(frozen=True, eq=False)
class StreamValue:
    """The streams of n objects as the value of an expression, such as `_io`."""

    stream: Stream
    which: Int64s | None
    is_here: bool
    """Whether the cursor is where the parser's would be when the parser evaluates the expression."""

    def some(self, which: Int64s | None) -> StreamValue:
        """The streams of the rows `which`; None for all."""
        if which is None:
            return self
        return replace(self, which=which if self.which is None else self.which[which])

    def attribute(self, name: str) -> Vector:
        """The value of `size`, `pos` or `eof`. Raises UnfitError if only the parser knows the value."""
        if name == "size":
            return Vector(self.stream.size).some(self.which)
        if name not in ("pos", "eof") or not self.is_here:
            raise UnfitError(f"only the parser knows {name} of a stream")
        return Vector(getattr(self.stream, name)).some(self.which)


@dataclass(frozen=True, eq=False)
class Context:
    """What an expression is evaluated for: one row for each object, or for the objects numbered `which`."""

    reader: Reader
    objects: Objects
    which: Int64s | None
    stream: Stream | None
    """The stream being read; None for an instance, because the parser may compute it at any time."""
    own: Any = None
    """The value of `_`."""
    index: Any = None
    """The value of `_index`."""

    @property
    def count(self) -> int:
        return self.objects.count if self.which is None else len(self.which)

    def some(self, rows: Int64s | None, stream: Stream | None) -> Context:
        """The context of some rows, with their stream."""
        if rows is None:
            return replace(self, stream=stream)
        index = self.index.some(rows) if isinstance(self.index, Vector) else None
        return replace(
            self, which=rows if self.which is None else self.which[rows], stream=stream, index=index, own=None
        )

    def about(self, own: Any) -> Context:
        """The same context with `own` as the value of `_`."""
        return replace(self, own=own)

    def value(self, expression: Expression) -> Any:
        """The value of an expression. Raises UnfitError."""
        if isinstance(expression, tuple) and expression[0] == "name" and self.which is None:
            # Only here do all objects need the instance now, so its value may depend on how far the stream is read.
            return self._lookup(str(expression[1]), self.stream)
        return self._evaluator.value(expression)

    def truths(self, expression: Expression) -> Any:
        """Flags of the rows where an expression holds, and flags of the rows where it has no value (None if none)."""
        return self._evaluator.truths(expression)

    @property
    def _evaluator(self) -> Evaluator:
        return Evaluator(self.count, self._lookup, self._of, item_of)

    def _lookup(self, name: str, stream: Stream | None = None) -> Any:
        if name == "_":
            found = self.own
        elif name == "_index":
            found = self.index
        elif name == "_io" and self.stream is not None:
            return StreamValue(self.stream, None, True)
        else:
            return self.reader.attribute(self.objects, name, stream).some(self.which)
        if found is None:
            raise UnfitError(f"only the parser knows {name}")
        return found

    def _of(self, value: Any, name: str, arguments: tuple[Any, ...]) -> Any:
        if isinstance(value, StreamValue):
            return value.attribute(name)
        if isinstance(value, Lists):
            return of_lists(value, name)
        if isinstance(value, Reference):
            parts = [
                (rows, self.reader.attribute(objects, name).some(numbers)) for rows, objects, numbers in value.parts
            ]
            found = joined(parts, value.count)
            return found if value.bad is None else found.without(value.bad)
        return of_values(value, name, arguments)
