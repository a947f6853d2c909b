"""Which part of the specs samples reach.

Begin with `files.collect`.
"""
