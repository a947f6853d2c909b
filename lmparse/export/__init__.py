"""Records as one file, changes as a folder of files.

Begin with `converting.Conversion`.
"""
