"""Readers of the same file, each the best that its means allow; see README.md one folder up.

Each module has `read(path, columns)`, which gives the 51 header fields of a logical log with descriptor
words in front of its records, or those named, as an Arrow table of the types in `target`. But for
`generated_parser` they state the places of the fields by their own hand, so that what they agree on is no
mistake they share.
"""
