"""One record of any spec through its generated parser, and a file of such records.

Begin with `reader.RecordReader` for one record, `files.RecordFile` for a file.
"""
