"""Bytes of a file to the extents of its records, by descriptor words, fixed lengths or the lengths that records say.

Begin with `base.Framing`, what every framing can do, and `framings.framing_of`, which makes one from its name. `index`
gives records as arrays and `sync` cuts, both through what a framing can do; `detection.detect` finds the one that the
bytes prove.
"""
