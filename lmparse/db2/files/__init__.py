"""Files of a Db2 LUW log: how they are framed, joined and read on, and whether records are missing."""

from __future__ import annotations
