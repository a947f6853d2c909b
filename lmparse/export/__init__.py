"""Records as one file, changes as a folder of files or as SQL.

Begin with `convert.convert`, which runs a `conversion.Conversion`, or with `sql_script.SqlScript`.
"""
