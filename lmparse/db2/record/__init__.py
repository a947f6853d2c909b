"""Log records of Db2 LUW: parsed one by one, and as the arrays of the record table."""

from __future__ import annotations
