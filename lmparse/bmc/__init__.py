"""BMC AMI Log Master for Db2: control file, header, DATA area, segments and row images of a logical log.

Begin with `log.log.LogicalLog`; `record.change_record` for one record, `control.control_file` for what describes it.
"""
