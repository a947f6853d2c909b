"""The build step: from `.ksy` files to parsers, stubs and layouts. `build.py` and `lmparse build` are its fronts.

Begin with `products.Builder`; `compiler` runs kaitai-struct-compiler, `constructs` lists what a spec may have, `lint`
checks specs without the compiler.
"""
