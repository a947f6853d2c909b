"""The bytes of a file, wherever it lies and however it is compressed; outputs that appear whole or not at all.

Begin with `buffers.open_buffer`.
"""
