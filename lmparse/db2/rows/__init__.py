"""Rows of Db2 LUW: records of data pages to values, one by one and by the column."""

from __future__ import annotations
