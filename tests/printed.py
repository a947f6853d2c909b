"""Printed: what a browser draws on the pages of a PDF."""

from __future__ import annotations

import re
import zlib


def contents_of_pages(raw: bytes) -> list[bytes]:
    """What is drawn on each page of a PDF as the browser writes it."""
    streams = {}
    for number, body in re.findall(rb"\n(\d+) 0 obj\n(.*?)endobj", raw, re.DOTALL):
        streams[number] = body
    found = []
    for body in streams.values():
        if re.search(rb"/Type\s*/Page\b", body):
            (content,) = re.findall(rb"/Contents (\d+) 0 R", body)
            packed = streams[content].partition(b"stream")[2].strip(b"\r\n")
            found.append(zlib.decompressobj().decompress(packed))
    return found
