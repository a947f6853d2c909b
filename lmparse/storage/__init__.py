"""The bytes of a file, local or remote, compressed or not; outputs that appear whole or not at all.

Begin with `buffers.open_buffer`. `addresses` tells local paths from remote ones, `stored` looks files up and
reads bytes as they are stored, `compression` unpacks them.
"""
