"""The bytes of a file, wherever it lies and however it is compressed; outputs that appear whole or not at all.

Begin with `buffers.open_buffer`. `addresses` tells local paths from remote ones, `file_systems` looks up what is
remote, `stored` reads bytes as they are kept, `compression` unpacks them.
"""
