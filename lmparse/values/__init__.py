"""Bytes of a field to a value and back: numbers, times, positions in the log, text and its code pages.

Begin with the module of the wire type; `codepages.lookup` for text.
"""
