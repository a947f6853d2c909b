"""Which parts of the specs samples reach.

Begin with `files.collect`.
"""
