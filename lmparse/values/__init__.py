"""Bytes of a field to a value and back: numbers, times, positions in the log, text and its code pages.

A module a wire type; each has functions of one value (`decode...`), of the same field in many records
(`..._array`, which `byte_arrays` describes), and where samples need it `encode...`. Begin with the module of the
wire type; `codepages.lookup` for text.
"""
