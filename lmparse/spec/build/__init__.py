"""The build step: from `.ksy` files to parsers, stubs and layouts. `build.py` and `lmparse build` are its fronts.

Begin with `products.make`; `compiler` runs kaitai-struct-compiler, `lint` checks the house style, `new` creates a spec.
"""
