"""Pages of the front-end: with all records inside, or for a server that is asked for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lmparse.errors import FramingError, OptionError
from lmparse.review.browse.record_list import RecordList
from lmparse.review.browse.record_view import FieldTexts, view
from lmparse.review.browse.served_file import about, damage_row
from lmparse.review.explain.search import search_in
from lmparse.review.templating import render, render_page
from lmparse.terminal import json_text

_MOST_BYTES = 4096
"""Most bytes of a record in a page of many records; the number of those left out is said."""


def records_page(path: str, **options: Any) -> str:
    """One page with all records of a file, which loads nothing.

    Raises LimitError LMP-L005 for more records than the limit `page_records`, and as `explain` does.
    """
    search = search_in(path, **options)
    records = RecordList(search)
    search.file.options.bounds.check("page_records", records.index.count, file=path)
    texts = FieldTexts()
    rows: list[dict[str, Any]] = []
    views: list[dict[str, Any]] = []
    damage: dict[str, Any] | None = None
    try:
        for extent in search.file.extents():
            found = search.at(extent)
            rows.append(records.row(extent, found.dissection).to_dict())
            views.append(view(found, texts, _MOST_BYTES))
    except FramingError as error:
        damage = damage_row(error)
        if error.record_offset is not None and error.record_offset < len(search.file.buffer):
            views.append(view(search.by_offset(error.record_offset), texts, _MOST_BYTES))
    if not rows and damage is None:
        raise OptionError(f"{path}: the file has no records")
    known = about(records)
    inlined = {"about": known, "rows": rows, "views": views, "texts": texts.texts, "damage": damage}
    return render_page("browse.html", **_values({"files": [known["name"]], "live": False, "inlined": inlined}))


def served_page(names: Sequence[str], *, is_live: bool, nonce: str) -> str:
    """The page of a server; its script and styles have the nonce."""
    return render("browse.html", **_values({"files": list(names), "live": is_live, "inlined": None}), nonce=nonce)


def _values(data: dict[str, Any]) -> dict[str, Any]:
    name = data["files"][0].rpartition("/")[2]
    # No text in the JSON may end the element that it is in.
    return {"file_name": name, "data": json_text(data).replace("<", "\\u003c")}
