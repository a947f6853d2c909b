"""The build step: from `.ksy` files to parsers, stubs and layouts. `build.py` and `lmparse build` are its fronts.

Begin with `products.make`; `compiler` runs kaitai-struct-compiler, `lint` holds the house style, `new` begins a spec.
"""
