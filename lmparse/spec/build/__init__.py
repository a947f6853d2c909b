"""The build step: makes parsers, stubs and layouts from `.ksy` files. `build.py` and `lmparse build` are its fronts.

Begin with `products.Builder`; `compiler` runs kaitai-struct-compiler, `constructs` lists what a spec may have, `lint`
checks specs without the compiler.
"""
