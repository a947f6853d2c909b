"""Contexts: what names mean in an expression, by the objects around it and the stream that is read."""

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
    """What reads fields and the objects in them, see `lmparse.columnar.reading`."""

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
    """Streams that an expression is about."""

    stream: Stream
    which: Int64s | None
    is_here: bool
    """Whether they have been read as far as the parser has when it evaluates the expression."""

    def some(self, which: Int64s | None) -> StreamValue:
        """The streams at some places."""
        if which is None:
            return self
        return replace(self, which=which if self.which is None else self.which[which])

    def attribute(self, name: str) -> Vector:
        """`size`, `pos` or `eof`."""
        if name == "size":
            return Vector(self.stream.size).some(self.which)
        if name not in ("pos", "eof") or not self.is_here:
            raise UnfitError(f"only the parser knows {name} of a stream")
        return Vector(getattr(self.stream, name)).some(self.which)


@dataclass(frozen=True, eq=False)
class Context:
    """The objects around an expression: one row for each, or for those with some numbers."""

    reader: Reader
    objects: Objects
    which: Int64s | None
    stream: Stream | None
    """What is being read; None for an instance, which the parser computes at some other time."""
    own: Any = None
    """The value of `_`."""
    index: Any = None
    """The value of `_index`."""

    @property
    def count(self) -> int:
        return self.objects.count if self.which is None else len(self.which)

    def some(self, rows: Int64s | None, stream: Stream | None) -> Context:
        """Some of the rows."""
        if rows is None:
            return replace(self, stream=stream)
        index = self.index.some(rows) if isinstance(self.index, Vector) else None
        return replace(
            self, which=rows if self.which is None else self.which[rows], stream=stream, index=index, own=None
        )

    def about(self, own: Any) -> Context:
        """The same with a value of `_`."""
        return replace(self, own=own)

    def value(self, expression: Expression) -> Any:
        """The value of an expression. Raises UnfitError."""
        if isinstance(expression, tuple) and expression[0] == "name" and self.which is None:
            # All objects ask for it here, so the parser computes an instance with the stream as far as it is read.
            return self._lookup(str(expression[1]), self.stream)
        return self._evaluator.value(expression)

    def truths(self, expression: Expression) -> Any:
        """Where an expression holds, and where it has no value."""
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
