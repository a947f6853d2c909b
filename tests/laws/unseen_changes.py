"""Changes to a log that `check` cannot see, and why: `test_mutations` compares what it does not see with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unseen:
    """Changes to a log that `check` cannot see."""

    name: str
    what: str
    why: str
    kinds: tuple[str, ...] = ("field",)
    """`field`, or what happens to a record: `removed`, `cut`, `swapped`, `far` (doubled at the end of the log)."""
    fields: tuple[str, ...] = ()
    """Ids of the fields that have another value."""


UNSEEN: dict[str, tuple[Unseen, ...]] = {
    "bmc": (
        Unseen(
            "missing", "A change that is missing as a whole: one record, or all of its segments",
            "No record names another one, and the control file does not count them.", ("removed",),
        ),
        Unseen(
            "order", "Records in another order",
            "The manual says that the file has no order: records are sorted by their positions.", ("swapped",),
        ),
        Unseen(
            "unit", "A change that is given to another unit of recovery", "Nothing lists the changes of a unit.",
            fields=("member_id", "uor_id"),
        ),
        Unseen(
            "alone", "What a header says of its unit of recovery, if no other record is of the unit",
            "Only the records of one unit can be compared. UORDISP is compared with the commit record even then, which "
            "tells committed units from others.",
            fields=(
                "uor_disp", "uor_timestamp", "uor_commit_timestamp", "uor_id_lrsn", "uor_commit_lrsn",
                "uor_commit_point", "incomplete_trans", "incomplete_dep", "uor_has_comp",
            ),
        ),
        Unseen(
            "position", "Another position between beginning and commit of the unit; any later one without a commit",
            "The file has no order, and positions are not counted.", fields=("log_lrsn", "log_rba"),
        ),
        Unseen(
            "one record",
            "LENGTH, TOTALSEGS and SEGNUM in a log of one record, and SEGNUM of the only change in one record, "
            "and of the only segment in its extract, if they are allowed values",
            "The value that most records have decides: the manual allows several, as numbers of segments from 0 and "
            "from 1.",
            fields=("length", "total_segs", "seg_num"),
        ),
        Unseen(
            "no control file", "Which table a record is of, without a control file",
            "Nothing else describes the tables.",
            fields=("system_id", "dbid", "psid", "tbobid", "dbname", "tsname", "table_owner", "table_name"),
        ),
        Unseen(
            "cut", "DATA that is cut short, without a control file", "DATA is read only with a control file.", ("cut",)
        ),
        Unseen(
            "short DTBI", "The names in a header, if DTBI ends before its names",
            "DTBI is documented up to DBNAME only.", fields=("tsname", "table_owner", "table_name"),
        ),
        Unseen(
            "blank", "A TSNAME, TABLEOWNER or TABLENAME that is blank",
            "DTBI has the names at no documented place, so that nothing says that there should be one: not testable.",
            fields=("tsname", "table_owner", "table_name"),
        ),
        Unseen(
            "name lengths", "TBOWNERLEN and TBNAMELEN",
            "They only help to find the full name of a table at the end of DTBI: whether they count the bytes of the "
            "name in the code page or in the catalog is not documented.", fields=("tbowner_len", "tbname_len"),
        ),
        Unseen(
            "kind", "Another CHANGE TYPE with a DATA area of the same form; any other one without a control file",
            "DATA of an insert and a delete have one form, and DATA is read only with a control file.",
            fields=("change_type",),
        ),
        Unseen(
            "outcome", "Another listed value of LOGRECDISP that the unit allows, and of SQLTYPE",
            "They are facts about one log record.", fields=("log_rec_disp", "sql_type"),
        ),
        Unseen(
            "facts", "Another value of fields that say something of one change, or have no documented meaning",
            "Nothing else repeats them. TIMESTAMP is not compared with the times of its unit: its time zone is not "
            "documented, and local times go back once a year.",
            fields=(
                "partnum", "timestamp", "rid", "seg_len", "sql_src_type", "log_bytes", "log_delta", "anomaly_row_id",
                "anomaly_rba", "reserved", "connection_type", "connect_id", "correlation_id", "auth_id",
                "plan", "luw_network_id", "luw_name", "luw_instance_no", "luw_sequence_no", "sql_ri_rba",
                "page_num_fmt",
            ),
        ),
    ),
    "db2": (
        Unseen(
            "ends", "The first and the last records of a log, missing or cut short",
            "An extract may begin and end anywhere.", ("removed", "cut"),
        ),
        Unseen(
            "gaps", "A record missing or cut short where nothing proves that records adjoin",
            "The API leaves records out with its filter: unless four in five records begin where the one before ends, "
            "a gap means nothing. Framings `bare`, and `lsn8` from 10.1 on, do not state addresses: then a loss is "
            "seen only between records that others name.",
            ("removed", "cut"),
        ),
        Unseen(
            "order", "Records in another order or there again, far apart, in framing `bare` before 10.1",
            "Neither the record nor the framing has a log sequence number.", ("swapped", "far"),
        ),
        Unseen(
            "position", "A position between those of the records beside it; any one at an end of the log",
            "Positions ascend, but need not be adjacent.", fields=("lsn", "lfs", "part2"),
        ),
        Unseen(
            "stream", "The log stream in a header, where the prefix does not state it, or the header has zero",
            "Each stream has its own order, and headers of 40 bytes do not have it set.", fields=("log_stream_id",),
        ),
        Unseen(
            "chain",
            "Transaction and previous record, if the log at hand has no other record of the transaction, or does not "
            "state addresses; and a last record of a transaction that names none",
            "A reference to a record that is not known cannot be followed.",
            fields=("transaction_id", "previous_lsn", "previous_lso"),
        ),
        Unseen(
            "compensations", "Which change a compensation names, unless that is of another kind or table",
            "A change of the same kind and table may be the one. One that is not in the log, which may begin "
            "anywhere, is a note. The record before it counts only where no address is stated.",
            fields=(
                "before_compensated_log_stream_id", "before_compensated_lsn", "before_compensated_lso",
                "compensated_lsn", "compensated_lso", "reserved",
            ),
        ),
        Unseen(
            "compressed", "realLogRecLen of a record whose rows are compressed",
            "It is the length that the rows would have.", fields=("real_log_rec_len",),
        ),
        Unseen(
            "no rows", "sqlcode of a record without rows", "It says whether rows are compressed.", fields=("sqlcode",)
        ),
        Unseen(
            "facts", "Flags and padding of the header, and another type that does not contradict the rest",
            "Nothing else repeats them, and the lists of types are open. With a type whose records change no row, the "
            "change of the record is missing, as if it had not been logged.",
            fields=("general_flag", "header_padding", "type"),
        ),
    ),
}  # fmt: skip
"""By family. Column values are not listed: any value of its type is one."""


def unseen_of(family: str, kind: str, field: str) -> Sequence[Unseen]:
    """The classes that may explain why `check` does not see a change of a kind, or of a field."""
    return [one for one in UNSEEN[family] if kind in one.kinds and (kind != "field" or field in one.fields)]
