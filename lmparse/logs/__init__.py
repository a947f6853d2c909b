"""Logs of any family: the family of a file, the parts in which files are read, and batches of changes.

Begin with `open.open_file`, and with `log` for what programs use; `families` is the table of the families.
"""
