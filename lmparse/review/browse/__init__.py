"""Many records of a file, to look around in: a list with filters, and each record with its bytes beside its fields.

One front-end (`templates/browse.js`) shows them, either as one page that loads nothing (`static_page`) or from a server
on this machine (`server`), which reads records when they are requested. Begin with `record_list.RecordList`.
"""
