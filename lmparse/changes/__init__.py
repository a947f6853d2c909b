"""Changes of rows, whatever the log: their order, their ranges, their columns.

Begin with `change.Change`, then `log.ChangeLog`.
"""
