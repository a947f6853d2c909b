"""An independent encoder of Log Master logical logs: values to bytes, written from the vendor's tables only.

It shares no offset with the specs under ``formats/``: where both agree, the format has been read twice.

* `fields`: single values and records laid out by a table;
* `lldf`: data change records, their DATA, segments;
* `rows`: columns and row images;
* `control`: control records;
* `framing`: records to files;
* `logs`: a whole example with the changes it must give.
"""
