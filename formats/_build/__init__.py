"""The build step: from the specs beside this folder to everything in `generated/`.

Not part of the library and not shipped with it; `build.py` in the root is its face.
"""
