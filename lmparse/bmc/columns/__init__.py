"""Records of a Log Master log by the column: headers and row images of many changes."""

from __future__ import annotations
