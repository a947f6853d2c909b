"""An independent encoder of Db2 LUW log records: values to bytes, written from the vendor's tables only.

It shares no offset with the specs under ``formats/``: where both agree, the format has been read twice. "Table n" is
the numbering of the V7 Administrative API Reference; "reference n" is a section of db2-luw-log.md, which says what
later versions changed.

* `wire`: numbers, RIDs and log sequence numbers in the server's byte order;
* `header`: log record headers of the three generations, and record types;
* `framing`: what stands before each record in a read buffer;
* `dms`, `dom`, `lob`, `lf`, `xml`, `datalink`, `ddl`: bodies of the components;
* `transaction`, `utility`: bodies of the records without a component;
* `columns`, `values`, `decfloat`, `rows`: columns, their values, and row images;
* `tables`, `stream`: a whole log with the changes it must give;
* `scripts`: a log record by record, sound or not, of which nothing else is known.
"""
