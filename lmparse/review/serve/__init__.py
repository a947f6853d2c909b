"""The records of files in a browser on this machine: a list with filters, one record explained, two compared.

Begin with `server.RecordServer`.
"""
