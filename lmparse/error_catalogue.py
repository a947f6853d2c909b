"""The catalogue of error codes: what each means and what to do about it.

`page()` gives it as the page `docs/errors.md`, which `make pages` writes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cause:
    """One code: its title, what leads to it, what helps."""

    title: str
    cause: str
    cure: str


FAMILIES = {
    "F": "framing: records cannot be cut out of the file",
    "R": "record: one record does not hold what its kind should hold",
    "V": "value: one field's bytes are no value of its type",
    "C": "control: the control file is damaged, contradicts the data, or says too little",
    "S": "spec and options: a name or a value that does not exist",
}

CATALOGUE: dict[str, Cause] = {
    "LMP-F001": Cause(
        "the file cannot be read",
        "It does not exist, is a directory, or may not be read; or it is compressed, and damaged or cut short.",
        "Check the path and its permissions, and whether a compressed file came whole; in Spark the path must be the "
        "same on every executor.",
    ),
    "LMP-F002": Cause(
        "the file is empty",
        "There is no byte that could prove what the file is.",
        "Name the control file or the framing if it is a log without changes; else transfer it again.",
    ),
    "LMP-F003": Cause(
        "nothing known fits the file",
        "No framing cuts it into records of the kind that was asked for.",
        "Run `lmparse sniff FILE`. A text-mode transfer or a wrong file is the usual reason.",
    ),
    "LMP-F004": Cause(
        "several framings fit the file",
        "Its first bytes can be read in more than one way, and nothing tells them apart.",
        "Name the framing that the transfer used.",
    ),
    "LMP-F005": Cause(
        "no record begins here",
        "The very first bytes are no descriptor word, or a record's own lengths lead nowhere.",
        "The framing named is probably not the file's: run `lmparse sniff FILE`.",
    ),
    "LMP-F006": Cause(
        "the file ends inside a record",
        "The transfer broke off, or the file was cut.",
        "Transfer it again. Everything before the record named has been read.",
    ),
    "LMP-F007": Cause(
        "bytes behind the last record are not a record",
        "Whole records are followed by something else: padding, a second file, or damage.",
        "Look at the offset named. Everything before it has been read.",
    ),
    "LMP-F008": Cause(
        "a block is not filled by its records",
        "Block and record descriptor words contradict each other.",
        "Transfer the file again; the block named is damaged.",
    ),
    "LMP-F009": Cause(
        "pieces of a spanned record are out of order",
        "A middle or last piece without a first one, or a new record before the last piece.",
        "Transfer the file again; a piece is missing before the offset named.",
    ),
    "LMP-F010": Cause(
        "the file was converted to ASCII",
        "A text-mode transfer translated every byte; numbers and descriptor words are lost.",
        "Transfer it again in binary, with record descriptor words.",
    ),
    "LMP-F011": Cause(
        "the file cannot be cut there",
        "Its records hold bytes that look like records, a log within a log for instance. To read a large file in parts "
        "it is cut where records seem to begin, and reading has shown that at this place none does.",
        "Set maxPartitionBytes above the size of the file, or ask for the column `_metadata`: then records are counted "
        "from the start of the file, which finds them all.",
    ),
    "LMP-R001": Cause(
        "the record ends inside a field",
        "It is shorter than its kind is.",
        "The record is damaged, or of a release that is not described; its bytes are quarantined.",
    ),
    "LMP-R002": Cause(
        "lengths in the record contradict each other",
        "A length leads behind another part of the same record.",
        "The record is damaged; its bytes are quarantined.",
    ),
    "LMP-R003": Cause(
        "bytes are left over in the record",
        "DATA or a row image is longer than what it should hold.",
        "One is damage. If all fail, set rowImages, or check that the control file belongs to the data.",
    ),
    "LMP-R004": Cause(
        "a segment is missing",
        "A change was cut into segments, and not all of them are in the file.",
        "The file is incomplete. The hint names the change by RBA.",
    ),
    "LMP-R005": Cause(
        "a segment does not belong",
        "Its number stands twice in one change, or is higher than the number of segments.",
        "A merged log may hold a change twice; else the record is damaged.",
    ),
    "LMP-R006": Cause(
        "the description of a table contradicts itself",
        "Column descriptors of an initialize table or add columns record overlap, leave gaps, or are too few.",
        "The record is damaged or of a release that is not described; give the table in a tables file.",
    ),
    "LMP-R007": Cause(
        "rows are compressed still",
        "The log reading API could not expand the rows of the record, and says so in sqlcode.",
        "Read the log again while the table and its compression dictionary exist, with the filter on.",
    ),
    "LMP-R008": Cause(
        "a compensation does not fit what it compensates",
        "The record it names by log sequence number is of another kind or table, or was taken back before.",
        "The log is damaged or was put together wrongly; changes of the transaction named may be wrong.",
    ),
    "LMP-V001": Cause(
        "not one of the values allowed",
        "The format fixes the values of the field; a null indicator, for instance, is 00 or FF.",
        "The row is read out of step: damage, or a control file that does not belong to the data.",
    ),
    "LMP-V002": Cause(
        "no packed decimal number",
        "A half byte is no digit, or the last one no sign.",
        "Letters or blanks in a number mean damage, or a column read out of step.",
    ),
    "LMP-V003": Cause(
        "below the smallest value", "The format states a minimum.", "The record is damaged or of another kind."
    ),
    "LMP-V004": Cause(
        "above the largest value", "The format states a maximum.", "The record is damaged or of another kind."
    ),
    "LMP-V005": Cause(
        "no timestamp",
        "Packed digits of a timestamp are no digits, or no date and time.",
        "The field is damaged; the rest of the record is good.",
    ),
    "LMP-V006": Cause(
        "no date or time",
        "The text of a date, time or timestamp column is not in Db2's ISO form.",
        "Damage, or dates in another form: DLDS names it.",
    ),
    "LMP-V007": Cause(
        "text that its code page does not have",
        "A byte has no character in the code page of the column.",
        "Check the CCSID in XTYP, or name another page with codePage.",
    ),
    "LMP-V008": Cause(
        "no number in digits",
        "A field of EBCDIC digits, or of hex digits, holds something else.",
        "The control record is damaged, or of a release with another layout.",
    ),
    "LMP-V009": Cause(
        "not the value expected", "The format fixes this value.", "The record is damaged or of another kind."
    ),
    "LMP-V010": Cause(
        "a value of the wrong width",
        "The type has no form of this many bytes.",
        "Check the length that XHDF or DLCI states for the field.",
    ),
    "LMP-C001": Cause(
        "no control file",
        "Its first record is no XTYP.",
        "Give the control file, not the data file; `lmparse sniff` tells them apart.",
    ),
    "LMP-C002": Cause(
        "the control file does not describe the table",
        "A change is of a table without DTBI and DLCI records.",
        "Use the control file written with this data file. The row's bytes are kept in `detail`.",
    ),
    "LMP-C003": Cause(
        "no version of the table was in force",
        "CREATERBA and DROPRBA of its versions leave out the place of the change.",
        "Use the control file written with this data file.",
    ),
    "LMP-C004": Cause(
        "column records contradict each other",
        "Two DLCI records of one version have the same column number.",
        "The control file is damaged, or two were put together.",
    ),
    "LMP-C005": Cause(
        "no such table, or several",
        "The option table names none or more than one of the tables in the log.",
        "Name it as SCHEMA.NAME, or by DBID.PSID.TBOBID in hex.",
    ),
    "LMP-C006": Cause(
        "the header is not the one XHDF describes",
        "LENGTH in the record and the XHDF records of the control file differ.",
        "Use the control file written with this data file; appended runs of another release need their own.",
    ),
    "LMP-C007": Cause(
        "no control file found, or several",
        "The folder holds none whose DLDS names the data set and none of the same stem, or more than one.",
        "Name it with control.",
    ),
    "LMP-C008": Cause(
        "versions of a table do not go together",
        "A column has types in two versions that one column cannot hold.",
        "Pick one version with tableVersion.",
    ),
    "LMP-C009": Cause(
        "the tables file cannot be used",
        "It is no YAML, or an entry is not what it should be; the field names the place.",
        "docs/db2-luw.md has its form, and the SQL that prints one from the catalog.",
    ),
    "LMP-C010": Cause(
        "the tables file is not of this log",
        "A column is of another type or place there than the log itself says.",
        "Print it again from the catalog of the database that wrote the log, as of its time.",
    ),
    "LMP-S001": Cause("no such spec", "The name is no spec of the package.", "`lmparse formats` lists them."),
    "LMP-S002": Cause("no such option", "The name is no option.", "The message names the nearest one."),
    "LMP-S003": Cause("an option has no such value", "The value is none of those allowed.", "The hint lists them."),
    "LMP-S004": Cause(
        "records of the spec cannot be read on their own",
        "They need to be told what they are part of.",
        "Read the records that hold them.",
    ),
    "LMP-S005": Cause(
        "something is not installed",
        "A part of the library needs a package that is optional.",
        "The message has the command that installs it.",
    ),
    "LMP-S006": Cause(
        "two engines differ",
        "Reading by the column and the generated parser give different values for a record.",
        "A fault of lmparse: please report it with the message. Until then engine kaitai reads the file.",
    ),
    "LMP-S007": Cause(
        "a worker process ended",
        "The system stopped one of the processes of `jobs`, mostly for want of memory.",
        "Run it again with fewer jobs.",
    ),
    "LMP-S008": Cause(
        "a spec cannot be read",
        "It is no YAML, has not the shape of a spec, or names a spec, a type or an enumeration that does not exist.",
        "The message has path, line and column of every fault; `lmparse build` says more about a spec's expressions.",
    ),
    "LMP-S009": Cause(
        "no specs there",
        "The name is no `.ksy` file, no folder with `<family>/<id>.ksy`, and no revision of the git repository here.",
        "Name the folder above the families, or a path as `REV:PATH`, from the top of the repository.",
    ),
    "LMP-S010": Cause(
        "a family of another package cannot be used",
        "An installed package names a family of logs in its entry points, and it cannot be loaded, is not a `Family`, "
        "or has the name of another one.",
        "The message names the entry point: install a version of its package that fits, or remove it.",
    ),
}
"""Every code there is. Codes never change their meaning."""


def page() -> str:
    """The catalogue as Markdown."""
    lines = ["# Error codes", "", "Every error has a code that keeps its meaning, and says where and what:", ""]
    lines += [
        "```",
        "a.bin: record 17 at 0x4c10: bmc_lldf.length: expected at least 277, found 12 [LMP-V003]",
        "```",
        "",
    ]
    lines += [
        "Records count from 0. The offset of a record is that of its first byte behind the descriptor word; the",
        "offset of a field counts from there, as in the vendor's table.",
    ]
    for letter, family in FAMILIES.items():
        lines += ["", f"## LMP-{letter}: {family}"]
        for code, cause in CATALOGUE.items():
            if code.startswith(f"LMP-{letter}"):
                lines += [
                    "",
                    f"### {code}",
                    f"{cause.title[0].upper()}{cause.title[1:]}.",
                    "",
                    f"- Cause: {cause.cause}",
                ]
                lines.append(f"- Cure: {cause.cure}")
    return "\n".join(lines) + "\n"
