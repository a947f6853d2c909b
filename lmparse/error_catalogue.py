"""The catalogue of error codes: what each means and what to do about it.

`page()` returns it as the text of `docs/errors.md`, which `make pages` writes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cause:
    """What an error code means, why it is raised, and what helps."""

    title: str
    cause: str
    cure: str


FAMILIES = {
    "F": "framing: records cannot be cut out of the file",
    "R": "record: one record is not what its kind should be",
    "V": "value: the bytes of one field are not a value of its type",
    "C": "control: the control file is damaged, contradicts the data, or is incomplete",
    "L": "limit: something is larger than a limit allows, which can be raised",
    "S": "spec and options: a name or a value that does not exist",
}

CATALOGUE: dict[str, Cause] = {
    "LMP-F001": Cause(
        "the file cannot be read",
        "It does not exist, is a directory, or may not be read; or it is compressed, and it is damaged or truncated. "
        "In a folder or a pattern, it is a link that leads nowhere, a pipe or a device.",
        "Check the path, its permissions, and whether a compressed file is complete; in Spark the path must be the "
        "same on every executor. In a folder, a name that begins with `_` or `.` is left out.",
    ),
    "LMP-F002": Cause(
        "the file is empty",
        "It has no byte that could show what it is.",
        "If it is a log without changes, name its control file or its framing; otherwise transfer it again.",
    ),
    "LMP-F003": Cause(
        "nothing known fits the file",
        "No framing cuts it into records of the kind requested.",
        "Run `lmparse sniff FILE`. The usual reason is a transfer in text mode or a wrong file.",
    ),
    "LMP-F004": Cause(
        "several framings fit the file",
        "Its first bytes can be read in more than one way, and no record decides between them.",
        "Name the framing that the transfer used.",
    ),
    "LMP-F005": Cause(
        "no record begins here",
        "The first bytes are not a descriptor word, or the lengths in a record lead out of the file.",
        "The file probably has another framing than the one named, or descriptor words that are not as z/OS writes "
        "them (`rdwEndian`, `rdwIncludesHeader`, see docs/framing.md): run `lmparse sniff FILE`.",
    ),
    "LMP-F006": Cause(
        "the file ends inside a record",
        "The transfer was interrupted, or the file was truncated.",
        "Transfer it again. All records before the one named have been read.",
    ),
    "LMP-F007": Cause(
        "bytes behind the last record are not a record",
        "Whole records are followed by something else: padding, a second file, or damage.",
        "Look at the offset named. All records before it have been read. If every such file has them, "
        "`fileEndOffset` leaves them out.",
    ),
    "LMP-F008": Cause(
        "a block is not filled by its records",
        "Its block and record descriptor words contradict each other.",
        "Transfer the file again; the block named is damaged.",
    ),
    "LMP-F009": Cause(
        "pieces of a spanned record are out of order",
        "A middle or last piece without a first one, or a new record before the last piece.",
        "Transfer the file again; a piece is missing before the offset named.",
    ),
    "LMP-F010": Cause(
        "the file was converted to ASCII",
        "A transfer in text mode translated every byte; numbers and descriptor words are lost.",
        "Transfer it again in binary, with record descriptor words.",
    ),
    "LMP-F012": Cause(
        "the file changed while it was read",
        "Since reading was planned or begun, the file or one that describes it grew, shrank or was written to, for "
        "instance by a transfer that is not finished; or its disk failed. Or the spec was built anew, or a process has "
        "another one.",
        "Read it when nothing writes to it: have the transfer write under another name and rename the file at its end.",
    ),
    "LMP-F013": Cause(
        "the files are not stretches of one log",
        "Several files were given as one log, or a folder of them, but they cannot be put in order: records do not "
        "state their position or are out of order, the files differ in framing, byte order or generation, or two files "
        "overlap and have different records at the same positions, for instance logs of two databases; a log stream of "
        "Db2 LUW begins behind the first file; or some are "
        "logs of Log Master, and some of Db2 for LUW. Extracts of Log Master: XTYP names different systems, a "
        "change has another table or DATA in another extract, or a unit of recovery has another outcome there; or "
        "they are read one by one, and a commit has no position.",
        "Read files of different logs apart. Read the same stretch of a log with the same filter each time.",
    ),
    "LMP-F014": Cause(
        "a file has come too late",
        "A file has records in front of those that a checkpoint or `lmparse land` has reached, and it is not known "
        "that they were read: it arrived late, or it has parts of several files that were read, or of one of long ago.",
        "Changes would be lost or given twice, so nothing is read. Read a late file with those around it, and "
        "begin again with a new checkpoint, or land all files into another folder.",
    ),
    "LMP-F015": Cause(
        "folders of k=v contradict each other",
        "A folder has folders named `k=v`, which are columns, as in Spark. They do not stand in one folder, or have "
        "other columns than those beside them, or a file is beside them and has no value of the column.",
        "Load the folders by themselves, or by a pattern as `logs/dt=*`, which gives no columns. "
        "`recursiveFileLookup` reads all files at any depth, without columns.",
    ),
    "LMP-R001": Cause(
        "the record ends inside a field",
        "It is shorter than its kind requires.",
        "The record is damaged, or of a release that the spec does not describe; its bytes are quarantined.",
    ),
    "LMP-R002": Cause(
        "lengths in the record contradict each other",
        "A length in it reaches into or beyond another part of the same record; or a record of Db2 LUW and its prefix "
        "name two log sequence numbers, or two log flush sequences.",
        "The record is damaged; its bytes are quarantined.",
    ),
    "LMP-R003": Cause(
        "bytes are left over in the record",
        "DATA or a row image is longer than its columns.",
        "If one record fails, it is damaged. If all fail, set rowImages, or check that the control file fits the data.",
    ),
    "LMP-R004": Cause(
        "a segment is missing",
        "A change was split into segments, and not all of them are in the file.",
        "The file is incomplete. The hint names the change by RBA.",
    ),
    "LMP-R005": Cause(
        "a segment does not belong",
        "Its number occurs twice in one change, or is higher than the number of segments.",
        "A merged log may contain a change twice; otherwise the record is damaged.",
    ),
    "LMP-R006": Cause(
        "the description of a table contradicts itself",
        "Column descriptors of an initialize table or add columns record overlap, leave gaps, are too few, or have a "
        "length that their type does not have.",
        "The record is damaged, or of a release that the spec does not describe; describe the table in a tables file.",
    ),
    "LMP-R007": Cause(
        "rows are still compressed",
        "The log reading API could not expand the rows of the record; its field sqlcode contains the reason.",
        "Read the log again while the table and its compression dictionary exist, with the filter on.",
    ),
    "LMP-R008": Cause(
        "a compensation does not fit what it compensates",
        "The record that it names by log sequence number is of another kind or table, or was compensated before.",
        "The log is damaged or was assembled wrongly; changes of the transaction named may be wrong.",
    ),
    "LMP-R009": Cause(
        "a repeated field does not advance",
        "Its items take no bytes, and the record repeats them more often than recordSteps allows.",
        "The record is damaged, or the spec repeats something that may be empty without end.",
    ),
    "LMP-R010": Cause(
        "a text is not in its encoding",
        "The spec names an encoding, such as UTF-8, in which the bytes of the field are not text; or they are half of "
        "a surrogate pair in it, as some encodings allow.",
        "The record is damaged, or the spec names the wrong encoding.",
    ),
    "LMP-R011": Cause(
        "processed bytes cannot be restored",
        "The spec says how the bytes of the field were processed, such as `process: zlib`; they were not. Or the "
        "key of `xor`, which the record has, has no bytes.",
        "The record is damaged, or the bytes are not processed in every record.",
    ),
    "LMP-R012": Cause(
        "an expression of the spec has no value for the record",
        "It divides by zero, needs a field that the record does not have, or an item that a list does not have; "
        "numbers of items count from 0.",
        "If one record fails, it is damaged. If all fail, correct the expression; the message has what it did.",
    ),
    "LMP-R013": Cause(
        "the byte order of the record is undecided",
        "No case of the spec's `endian` fits the record.",
        "The record is damaged, or of a byte order that the spec does not describe.",
    ),
    "LMP-R014": Cause(
        "the record is nested too deeply",
        "Parts of the record contain parts of the same type, more often than can be read.",
        "The record is damaged, or the spec finds such a part where there is none.",
    ),
    "LMP-R015": Cause(
        "the columns fill the row image in two ways",
        "The manual does not say whether null columns of fixed length have bytes in a row image. None of the first "
        "5,000 images tells it, and this one can be read both ways, with other values.",
        "Set nullBytes to present or absent: other rows with a null show which is right.",
    ),
    "LMP-V001": Cause(
        "not one of the values allowed",
        "The format allows only certain values in the field; a null indicator, for instance, is 00 or FF.",
        "The row is not read at its real offsets: it is damaged, or the control file does not belong to the data.",
    ),
    "LMP-V002": Cause(
        "not a packed decimal number",
        "A half byte is not a digit, the last half byte is not a sign, or there are too many digits.",
        "Letters or blanks in a number mean damage, or a column that is read at a wrong offset.",
    ),
    "LMP-V003": Cause(
        "below the smallest value", "The format states a minimum.", "The record is damaged or of another kind."
    ),
    "LMP-V004": Cause(
        "above the largest value", "The format states a maximum.", "The record is damaged or of another kind."
    ),
    "LMP-V005": Cause(
        "not a timestamp",
        "The packed digits of a timestamp are not digits, or not a date and time.",
        "The field is damaged; the other fields of the record have been read.",
    ),
    "LMP-V006": Cause(
        "not a date or time",
        "The text of a date, time or timestamp column is not in Db2's ISO form.",
        "The row is damaged, or dates are in another form: the DLDS record names it.",
    ),
    "LMP-V007": Cause(
        "bytes that the code page does not have",
        "A byte has no character in the code page of the column.",
        "Check the CCSID in XTYP, or name another page with codePage.",
    ),
    "LMP-V008": Cause(
        "not a number in digits",
        "A field for digits in text, for hex digits or for a zoned decimal contains something else.",
        "The record is damaged or of another layout, or its digits are in another code page: see codePage and -codec.",
    ),
    "LMP-V009": Cause(
        "not the value expected", "The format fixes this value.", "The record is damaged or of another kind."
    ),
    "LMP-V010": Cause(
        "a value of the wrong width",
        "No value of the type has this many bytes.",
        "Check the length that XHDF or DLCI states for the field.",
    ),
    "LMP-C001": Cause(
        "not a control file",
        "Its first record is not an XTYP record.",
        "Give the control file, not the data file; `lmparse sniff` tells them apart.",
    ),
    "LMP-C002": Cause(
        "the control file does not describe the table",
        "It has no DTBI and DLCI records for the table of a change.",
        "Use the control file written with this data file. The row's bytes are kept in `detail`, behind the ids of the "
        "table.",
    ),
    "LMP-C003": Cause(
        "no version of the table was in force, or several",
        "The change is outside CREATERBA and DROPRBA of all versions of the table; or several with other columns have "
        "the same CREATERBA. In a note: two of which the later was created before the other was dropped, by DTBI.",
        "Use the control file written with this data file, or pick the version with tableVersion.",
    ),
    "LMP-C004": Cause(
        "column records contradict each other",
        "Two DLCI records of one version have the same column number.",
        "The control file is damaged, or two control files were concatenated.",
    ),
    "LMP-C005": Cause(
        "no such table, or several",
        "The option table names none or more than one of the tables in the log.",
        "Name it as SCHEMA.NAME, or by DBID.PSID.TBOBID in hex.",
    ),
    "LMP-C006": Cause(
        "the header is not the one XHDF describes",
        "LENGTH in the record and the XHDF records of the control file differ; or these records leave bytes of the "
        "header out, describe some twice, or lack a field that identifies changes or says which were committed.",
        "Use the control file written with this data file; appended runs of another release need their own. If XHDF "
        "records are missing or damaged, transfer the control file again.",
    ),
    "LMP-C007": Cause(
        "no control file found, or several",
        "The folder has no control file whose DLDS record names the data set and none of the same stem, or several, or "
        "so many files that they are not looked through. Without the option control, it is the folder of the log.",
        "Name it with the option control.",
    ),
    "LMP-C008": Cause(
        "versions of a table do not go together",
        "A column has different types in two versions, and no one type can represent both.",
        "Pick one version with tableVersion.",
    ),
    "LMP-C009": Cause(
        "the tables file cannot be used",
        "It is not YAML, or an entry is not as required; the field names its place in the file.",
        "docs/db2-luw.md describes its form, and has the SQL that writes one from the catalog.",
    ),
    "LMP-C010": Cause(
        "the tables file does not fit this log",
        "A column that was not taken back has another type or place in the tables file than in the log.",
        "Write it again from the catalog of the database that wrote the log, as of the time of the log.",
    ),
    "LMP-C011": Cause(
        "records of a control file contradict each other",
        "XTYP or DLDS is there twice, with different code pages or forms of the data.",
        "Two control files were concatenated: give each data file its own.",
    ),
    "LMP-C012": Cause(
        "the case beside a log cannot be used",
        "The YAML file of a case says how its log is read. It comes with the log, so it may name specs by their id and "
        "files in its folder only, and no limits; or an option in it has no such value.",
        "Correct the case, or remove it: then the bytes of the log decide how it is read.",
    ),
    "LMP-L001": Cause(
        "a document is above a limit",
        "A YAML or JSON document has more bytes, levels or values, or longer numbers, than real ones have: it is "
        "damaged, or made to exhaust the reader.",
        "Check where the spec is from; its limits are fixed. For tables files there is the option limits.",
    ),
    "LMP-L002": Cause(
        "a record is above the limit",
        "From its first to its last byte it is longer than recordBytes, or it is in more pieces than recordPieces. A "
        "record is held in memory as a whole, so a damaged length could take all of it. Reading ends there, as at "
        "damaged framing.",
        "When the log really has such records, raise the limit that the message names: `limits` with recordBytes=1G. "
        "Reading then takes memory for some copies of the record.",
    ),
    "LMP-L003": Cause(
        "the copy of a file is above a limit",
        "A compressed or remote file is copied to TMPDIR before it is read. The copy has more bytes than "
        "unpackedBytes, more of them for each compressed byte than unpackedRatio, or takes more of the free disk than "
        "diskShare.",
        "Let TMPDIR name a folder on a larger disk, or raise the limit that the message names, if the file is from "
        "where you expect it.",
    ),
    "LMP-L004": Cause(
        "too much is held",
        "What is kept until its end is read takes more memory than heldBytes: segments of a change that is not "
        "complete yet, changes to be put in the order of commits, or the transactions of a Db2 LUW log.",
        "Raise heldBytes if the machine has the memory, or read a shorter log. Segments without the rest of their "
        "change show that the log is damaged or was extracted in part.",
    ),
    "LMP-L007": Cause(
        "a record takes too many steps",
        "The spec lets what it reads of a record multiply: nested records, items, and bytes that are read again or "
        "copied into types inside one another are more than recordSteps beyond 16 for each byte of the record. Other "
        "records have been read.",
        "If one record fails, it is damaged or made to exhaust the reader. If all fail, look at what the spec repeats "
        "in one another, or raise the limit: `limits` with recordSteps=1M.",
    ),
    "LMP-L008": Cause(
        "too much is unpacked from a record",
        "What `process: zlib` of the spec unpacks from the fields of one record is more than recordUnpackedBytes. No "
        "more than that was unpacked, and other records have been read.",
        "When records really have as much, raise the limit: `limits` with recordUnpackedBytes=1G. Reading then takes "
        "memory for some copies of it.",
    ),
    "LMP-S001": Cause("no such spec", "The package has no spec of this name.", "`lmparse formats` lists them."),
    "LMP-S002": Cause(
        "no such option", "The command or reader has no option of this name.", "The message names the nearest one."
    ),
    "LMP-S003": Cause("an option has no such value", "The value is not one of those allowed.", "The hint lists them."),
    "LMP-S004": Cause(
        "records of the spec cannot be read on their own",
        "How they are read depends on the records that contain them.",
        "Read the records that contain them.",
    ),
    "LMP-S005": Cause(
        "something is not installed",
        "This part of the library needs an optional package.",
        "The message has the command that installs it.",
    ),
    "LMP-S006": Cause(
        "two engines differ",
        "The columnar engine and the generated parser give different values for a record.",
        "This is a fault of lmparse: please report it with the message. Until then, read the file with engine kaitai.",
    ),
    "LMP-S007": Cause(
        "a worker process ended",
        "The system stopped one of the processes of `jobs`, mostly because memory ran out.",
        "Run it again with fewer jobs.",
    ),
    "LMP-S008": Cause(
        "a spec cannot be read",
        "It is not YAML, has not the shape of a spec, or names a spec, a type or an enumeration that does not exist.",
        "The message has path, line and column of every fault; `lmparse build` also checks the expressions of a spec.",
    ),
    "LMP-S009": Cause(
        "no specs there",
        "The name is not a `.ksy` file or a folder with `<family>/<id>.ksy`.",
        "Name the folder above the families.",
    ),
    "LMP-S010": Cause(
        "a family of another package cannot be used",
        "An installed package names a family of logs in its entry points, and it cannot be loaded, is not a `Family`, "
        "or has the name of another one.",
        "The message names the entry point: install a version of its package that fits, or remove it.",
    ),
    "LMP-S011": Cause(
        "the products of a spec are not as they were built",
        "A module in the folder that is needed differs from the hash in its MANIFEST.json, is not listed there, or "
        "cannot be loaded; it is Python that would be run. Other files in the folder are not looked at, and not run.",
        "Build the spec again with `lmparse build`, from a spec that you trust, and transfer the whole folder.",
    ),
    "LMP-S012": Cause(
        "a schema does not fit the source",
        "The schema that was passed to Spark's reader has a column that the source does not have, a type in which no "
        "value of the column is the same, or NOT NULL: every column may be null, and Spark would not see it.",
        "Leave the schema out, or take names and types from printSchema(); columns may be left out, and types may be "
        "others in which values are the same. Cast to any other type, and filter nulls, in the query.",
    ),
    "LMP-S013": Cause(
        "what `lmparse serve` did not foresee",
        "An answer of the server, or a build of its specs, ended with an error of Python. With a spec that is edited, "
        "mostly because logs of a known kind are read by the names of some fields, and the spec has another name for "
        "one; or memory ran out. The server goes on.",
        "Keep the names of the fields in a copy of a spec of lmparse. If no spec is edited and memory is left, please "
        "report it with the message.",
    ),
    "LMP-S021": Cause(
        "nothing may be written there",
        "The output is one of the files that are read, or holds one; or something is there already that lmparse did "
        "not write, or that may be replaced only with overwrite.",
        "Name another place. What is not of lmparse is never replaced: move or remove it yourself.",
    ),
    "LMP-S022": Cause(
        "the output cannot be written",
        "The disk is full, the folder may not be written to, or another process has changed the table that is landed "
        "in, or has written the checkpoint. Nothing has been replaced.",
        "Make room or name another folder, and run it again.",
    ),
    "LMP-S030": Cause(
        "not a checkpoint",
        "The file that says how far a log has been read was not written by lmparse, is damaged, or is of another spec "
        "or version.",
        "Name another file; if there is none, all files are read from their beginning.",
    ),
    "LMP-S031": Cause(
        "a folder cannot be landed in",
        "The folder has changes in another form, or trimmed, not as asked for; `_lmparse/land.json` is damaged, or "
        "does not have a table that is there; a table has rows and no commit says up to which `seq` they are, or "
        "was restored to what it was; another process is landing there; or its path has characters that Delta tables "
        "do not take.",
        "Go on as the folder was begun, put the table back, wait for the other process, or name another folder.",
    ),
    "LMP-S032": Cause(
        "a current table is not changed",
        "The last row of each key does not follow from the changes: the log lacks a value or a row, a row takes a key "
        "that another one has or leaves one that another has got in the same transaction, a change is of rows that the "
        "log does not name, or changes without a table version or bad records may be of this table. The change table "
        "has all changes, and the log is landed.",
        "docs/land.md says how to go on with a copy of the table in the source.",
    ),
}
"""All codes. A code never changes its meaning."""


_HEAD = """\
# Error codes

Every error has a code that keeps its meaning, and names the place and the reason:

```text
a.bin: record 17 at 0x4c10: bmc_lldf.length: expected at least 277, found 12 [LMP-V003]
```

Records count from 0. The offset of a record is that of its first byte behind the descriptor word; the
offset of a field counts from there, as in the vendor's table.
"""


def page() -> str:
    """The catalogue as Markdown."""
    text = _HEAD
    for letter, family in FAMILIES.items():
        text += f"\n## LMP-{letter}: {family}\n"
        for code, cause in CATALOGUE.items():
            if code.startswith(f"LMP-{letter}"):
                title = cause.title[0].upper() + cause.title[1:]
                text += f"\n### {code}\n{title}.\n\n- Cause: {cause.cause}\n- Cure: {cause.cure}\n"
    return text
