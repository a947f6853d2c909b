"""Instance values: what a spec calculates from the fields of a record, such as a flag in a bit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lmparse.records import evaluation
from lmparse.records.dissection import Node
from lmparse.records.evaluation import UnfitError
from lmparse.spec.layout import Layout

_Fields = dict[str, Node]
"""The fields of an object by their ids."""


def instance_values(
    nodes: Iterable[Node], layouts: Mapping[str, Layout], raw: bytes
) -> Iterator[tuple[str, str, bool | int]]:
    """Id of the layout, name and value of each instance that follows from the fields of one object.

    Without instances that are read ahead, or that depend on parameters, on the stream, or on fields that are missing.
    """
    objects = _by_layout(nodes)
    for layout_id in objects:
        layout = layouts.get(layout_id)
        for name in layout.computed if layout else ():
            try:
                found = _Scope(layout_id, objects, layouts, raw).lookup(None, name)
            except UnfitError:
                continue
            if found is not None:
                is_flag = isinstance(found, bool) or str(getattr(found, "dtype", "")) == "bool"
                yield layout_id, name, bool(found) if is_flag else int(found)


def _by_layout(nodes: Iterable[Node]) -> dict[str, _Fields]:
    found: dict[str, _Fields] = {}
    for node in nodes:
        found.setdefault(node.layout, {})[node.field.id] = node
    return found


class _Scope:
    """The names that an expression of one object may have; `objects` has those whose fields are among its own too."""

    def __init__(
        self, layout_id: str, objects: Mapping[str, _Fields], layouts: Mapping[str, Layout], raw: bytes
    ) -> None:
        self._layout = layouts[layout_id]
        self._fields = objects.get(layout_id, {})
        self._objects = objects
        self._layouts = layouts
        self._raw = raw

    def lookup(self, holder: Any, name: str) -> Any:
        """The value of a field or an instance of an object, or a byte of bytes, see `evaluation.Lookup`."""
        if isinstance(holder, _Scope):
            return holder.lookup(None, name)
        if isinstance(holder, bytes):
            if not name.isdigit() or int(name) >= len(holder):
                raise UnfitError("there is no such byte")
            return holder[int(name)]
        if holder is not None:
            raise UnfitError("a number has no parts")
        if name in self._fields:
            return self._value(self._fields[name])
        entry = self._layout.by_id.get(name)
        if entry is not None and entry.kind == "body" and entry.type is not None and entry.type in self._objects:
            return _Scope(entry.type, self._objects, self._layouts, self._raw)
        computed = self._layout.computed.get(name)
        if computed is None or computed.width or computed.condition is not None:
            raise UnfitError("it does not follow from the fields")
        return evaluation.value(computed.value, self.lookup)

    def _value(self, node: Node) -> Any:
        if node.children:
            return _Scope(node.children[0].layout, _by_layout(node.children), self._layouts, self._raw)
        if node.fault is not None:
            raise UnfitError("the field is faulty")
        if isinstance(node.value, int):
            return node.value
        piece = self._raw[node.start : node.end]
        return int.from_bytes(piece, "big") if node.field.kind == "code" else piece
