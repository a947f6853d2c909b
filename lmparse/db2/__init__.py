"""Db2 for LUW: log records, tables, rows, LOB values and transactions.

Begin with `log.Db2Log`; `record.log_record` for one record.
"""
