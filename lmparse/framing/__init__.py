"""Bytes of a file to the extents of its records, by descriptor words, fixed lengths or lengths in the records.

Begin with `base.Framing`, the interface of every framing, and `framings.framing_of`, which makes one from its name.
Through that interface `index` returns records as arrays and cuts a file into spans; `detection.detect` finds the
framing that the bytes prove.
"""
