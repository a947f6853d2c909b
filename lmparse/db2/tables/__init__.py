"""Tables of a Db2 LUW log: their columns, and the versions that records of the log make of them."""

from __future__ import annotations
