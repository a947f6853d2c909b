"""Transactions of a Db2 LUW log: their outcomes, what is undone in them, and the changes of each part."""

from __future__ import annotations
