"""Bytes of a field to a value and back: numbers, times, positions in the log, text and its code pages.

There is one module for each wire type. Its functions `decode...` decode one value, `..._array` the same field in many
records (see `byte_arrays`), and `encode...` encode a value for samples. Begin with the module of the wire type, for
text with `codepages.lookup`.
"""
