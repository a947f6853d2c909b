"""The content of a `.ksy`: fields with offsets, widths and codes, and the parser made from it.

Begin with `catalog.load`, which returns a `Spec`; `layout` defines fields; `build` makes both from the `.ksy`.
"""
