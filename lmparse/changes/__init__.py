"""What a change of a row is, whatever the log: its order, its ranges, its columns.

Begin with `change.Change`, then `log.ChangeLog`.
"""
