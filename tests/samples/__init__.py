"""Logs that the tests of several packages read: put together by `writers`, with a way to read them.

* `bmc_random`: random records and logs of Log Master, every code, type and extreme;
* `db2_random`: random scripts of Db2 LUW logs with every event that a log can have;
* `db2_scripts`: scripts of Db2 LUW logs, their tables, and the changes as tests compare them;
* `framed_files`: records in every framing;
* `log_master`: the example log of Log Master in files;
* `row_stories`: random tables and transactions on them, and the rows before and after them.

Unlike `writers`, which shares nothing with the library, these import it.
"""
