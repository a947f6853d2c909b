"""Records as one file, changes as a folder of files.

Begin with `convert.convert`, which runs a `conversion.Conversion`.
"""
