"""Any log: which family a file is of, which files are read in which parts, and what comes of them.

Begin with `open.open_file`, and with `log` for what programs use; `families` is the table of the families.
"""
