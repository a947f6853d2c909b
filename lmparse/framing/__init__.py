"""Bytes of a file to the extents of its records, by descriptor words, fixed lengths or the lengths that records say.

Begin with `framings.Framing`; `detection.detect` finds the framing that the bytes prove.
"""
