"""What a `.ksy` says: fields, places, widths, codes, and the parser made from it.

Begin with `catalog.load`, which gives a `Spec`; `layout` says what a field is; `build` makes both from the `.ksy`.
"""
