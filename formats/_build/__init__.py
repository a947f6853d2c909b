"""The build step: from the specs beside this folder to everything in `generated/`.

`build.py` in the root is its face. The library has it as `lmparse._formats._build` and takes from it
only what reads specs and derives layouts from them; the compiler is for `build.py` alone.
"""
