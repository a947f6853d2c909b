"""Writers: files of rows in each form, and the names of files."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar import schemas
from lmparse.columnar.json_texts import LINE, as_text
from lmparse.errors import OptionError
from lmparse.options import Options
from lmparse.spec.catalog import PARENT
from lmparse.storage.outputs import Foreign, lists_itself

FORMS = ("parquet", "arrow", "csv", "jsonl")
"""Forms of a file of rows; also the endings of its name."""
COMPRESSIONS = ("zstd", "snappy", "none")
CSV_TEXTS = ("quoted", "raw")
"""Treatment of text in CSV that a spreadsheet would run; see `quoted`."""
MANIFEST = "manifest.json"
MARK = "lmparse.spec"
"""Key in a schema's metadata by which a file of lmparse is recognized."""
_LONGEST_LINE = 1 << 24
"""Most bytes of the first line of a text file."""
_LONGEST_NAME = 120
"""Most characters of a name, without its hash and ending."""
_GROUP_ROWS, _GROUP_BYTES = 1 << 16, 1 << 27
"""Most rows, and bytes in memory, of a row group of Parquet or a batch of Arrow."""
SEPARATORS = ";\t\r\n"
"""Characters at which a cell begins inside a text."""
_SKIPPED = "\\x00-\\x20\"'\\x7f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
"""Controls, blanks, invisible characters and quotes, which a spreadsheet ignores."""
SIGNS = "=+\\-@\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20"
FORMULA = f"(^|[{SEPARATORS}])([{_SKIPPED}]*)([{SIGNS}])"
"""The beginning of a cell that a spreadsheet may take for a formula."""
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[+-](inf|nan)$"
"""Text that is a number, in a column of any type."""
_HARMLESS = f"{NUMBER}|^[{SIGNS}]$"


def form_of(path: Path) -> str:
    """The form of a file by the ending of its name. Raises OptionError for any other ending."""
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMS:
        known = ", ".join(f".{name}" for name in FORMS)
        hint = f"one of {known}; for changes, which are a folder, name control or tables"
        raise OptionError(f"{path}: a file of records has an ending that says its form", hint=hint)
    return form


def check_csv_text(form: str, csv_text: str) -> None:
    """Raise OptionError for raw text in a form that never quotes text."""
    if form != "csv" and csv_text != "quoted":
        raise OptionError(f"csvText is for CSV: {form} has all text as it is")


def check_compression(form: str, compression: str | None) -> str:
    """The requested compression, or the form's default. Raises OptionError for a compression that the form lacks."""
    if compression is None:
        return "zstd" if form == "parquet" else "none"
    allowed = {"parquet": COMPRESSIONS, "arrow": ("zstd", "none")}.get(form, ("none",))
    if compression not in allowed:
        raise OptionError(f"{form} has no compression {compression}", hint="one of " + ", ".join(allowed))
    return compression


def _listed(manifest: Any) -> list[str]:
    """The files that the manifest of a change folder lists. Raises LookupError for another manifest."""
    for key in ("manifest_version", "lmparse", "spec_sha256"):
        manifest[key]
    return [entry["file"] for entry in manifest["files"]]


foreign_folder = lists_itself(MANIFEST, _listed)


def foreign_file(form: str, options: Options) -> Foreign:
    """A test that a file is from lmparse: the schema of Parquet and Arrow names the spec, and the first line of text
    has its columns. An empty file passes, because nothing can be lost."""
    if form in ("parquet", "arrow"):
        return foreign_binary

    def foreign(path: Path) -> str | None:
        with open(path, "rb") as file:
            line = file.readline(_LONGEST_LINE)
        try:
            if form == "csv":
                columns = next(csv.reader([line.decode()]), [])
                is_ours = tuple(columns[-len(schemas.OUTCOMES) :]) == schemas.OUTCOMES
            else:
                names = schemas.records_schema(options.spec, rows=options.rows).names
                is_ours = json.loads(line).keys() <= {*names, PARENT}
        except (ValueError, AttributeError, RecursionError, csv.Error):
            is_ours = False
        return None if is_ours or not line else f"its lines do not have columns of {options.spec}"

    return foreign


def foreign_binary(path: Path) -> str | None:
    """The same test of a Parquet or Arrow file."""
    import pyarrow.dataset

    if not path.stat().st_size:
        return None
    try:
        form = "ipc" if path.suffix.lower() == ".arrow" else "parquet"
        metadata = pyarrow.dataset.dataset(path, format=form).schema.metadata
    except (pa.ArrowException, OSError):
        metadata = {}
    return None if MARK.encode() in (metadata or {}) else "its schema does not name lmparse"


@contextmanager
def opened(path: Path, form: str, schema: pa.Schema, compression: str, csv_text: str = "quoted") -> Iterator[Output]:
    """Open a file for batches with a schema. `csv_text` is one of CSV_TEXTS."""
    made: Output
    if form == "jsonl":
        made = _JsonLines(path)
    else:
        made = _Csv(path, schema, csv_text) if form == "csv" else _Chunked(path, form, schema, compression)
    try:
        yield made
    except BaseException:
        made.abandon()
        raise
    made.close()


class Output:
    """A file for batches; it is flushed to the disk when closed."""

    writer: Any = None
    """Writer of the file's form; JSON lines need none."""

    def __init__(self, path: Path) -> None:
        self.file: BinaryIO = open(path, "wb")  # noqa: SIM115

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows."""
        self.writer.write_batch(batch)

    def close(self) -> None:
        """Write the remaining rows, and flush the file to the disk."""
        if self.writer is not None:
            self.writer.close()
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()

    def abandon(self) -> None:
        """Close an unfinished file, which nobody will read."""
        for part in (self.writer, self.file):  # writers must be closed before their file, even on a full disk
            with suppress(Exception):
                part.close()


class _Chunked(Output):
    """A Parquet or Arrow file of row groups or batches of one size, whatever the size of the incoming batches.

    Its bytes are therefore the same however the rows are read, unless a group ends early because its rows are long.
    """

    def __init__(self, path: Path, form: str, schema: pa.Schema, compression: str) -> None:
        super().__init__(path)
        self.schema = schema
        if form == "parquet":
            import pyarrow.parquet

            # Parquet cannot store a struct without columns, so the column becomes text.
            empty = pa.struct([])
            columns = [entry.with_type(pa.string()) if entry.type == empty else entry for entry in schema]
            self.schema = pa.schema(columns, schema.metadata)
            self.writer = pyarrow.parquet.ParquetWriter(self.file, self.schema, compression=compression)
        else:
            options = pa.ipc.IpcWriteOptions(compression=None if compression == "none" else compression)
            self.writer = pa.ipc.new_file(self.file, schema, options=options)
        self._held: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        while self._rows + batch.num_rows >= _GROUP_ROWS:
            room = _GROUP_ROWS - self._rows
            self._hold(batch.slice(0, room))
            self._flush()
            batch = batch.slice(room)
        if batch.num_rows:
            self._hold(batch)
        if self._bytes >= _GROUP_BYTES:
            self._flush()

    def _hold(self, batch: pa.RecordBatch) -> None:
        self._held.append(in_schema(batch, self.schema))
        self._rows += batch.num_rows
        self._bytes += batch.nbytes

    def _flush(self) -> None:
        if self._held:
            self.writer.write_batch(pa.concat_batches(self._held))
        self._held, self._rows, self._bytes = [], 0, 0

    def close(self) -> None:
        self._flush()
        super().close()


class _Csv(Output):
    def __init__(self, path: Path, schema: pa.Schema, csv_text: str) -> None:
        import pyarrow.csv

        super().__init__(path)
        self.is_raw = csv_text == "raw"
        names = schema.names if self.is_raw else quoted(pa.array(schema.names, pa.string())).to_pylist()
        self._schema = pa.schema([(name, pa.string()) for name in names])
        options = pyarrow.csv.WriteOptions(quoting_style="needed")
        self.writer = pyarrow.csv.CSVWriter(self.file, self._schema, write_options=options)

    def write(self, batch: pa.RecordBatch) -> None:
        texts = in_schema(batch, self._schema)
        if not self.is_raw:
            texts = pa.RecordBatch.from_arrays([quoted(column) for column in texts.columns], schema=self._schema)
        self.writer.write_batch(texts)


class _JsonLines(Output):
    def write(self, batch: pa.RecordBatch) -> None:
        self.file.writelines(batch.column(LINE).to_pylist())


def quoted(array: pa.Array) -> pa.Array:
    """A column of text with an apostrophe in front of signs that make a spreadsheet run text as a formula.

    A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`, quoted or not. Its settings decide where cells end:
    in many countries at a semicolon, and then also at line ends inside quotes. A text may therefore begin several
    cells. The apostrophe stands in front of each such sign, also behind apostrophes, so it can always be removed again.
    Numbers and single characters stay unchanged.
    """
    is_formula = pc.fill_null(pc.match_substring_regex(array, FORMULA), False)
    if not is_formula.true_count:
        return array
    is_formula = pc.and_not(is_formula, pc.fill_null(pc.match_substring_regex(array, _HARMLESS), False))
    return pc.if_else(is_formula, pc.replace_substring_regex(array, FORMULA, r"\1\2'\3"), array)


def in_schema(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """A batch with the columns of a schema; columns of other types become text."""
    columns = zip(batch.columns, schema, strict=True)
    arrays = [array if array.type == entry.type else as_text(array) for array, entry in columns]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


# -- names of files -----------------------------------------------------------------------------


def safe_name(schema: str, name: str, identity: str, taken: set[str], ending: str = "") -> str:
    """`SCHEMA.NAME` and an ending; `_escaped` gives the form of the words.

    A long name, or a name that `taken` has in any case, gets a hash with the `identity`. The result is added to
    `taken`.
    """
    words = [_escaped(word) for word in (schema, name) if word] or ["%"]
    if words[0][0] in "-_":  # a leading - means an option in the shell, and Spark ignores files with a leading _
        words[0] = f"%{ord(words[0][0]):02X}{words[0][1:]}"
    plain = ".".join(words)
    for number in count():
        text = "\0".join([schema, name, identity, ending, str(number)])
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        is_fit = not number and len(plain) <= _LONGEST_NAME
        found = (plain if is_fit else f"{plain[:_LONGEST_NAME]}~{digest}") + ending
        if found.casefold() not in taken:
            break
    taken.add(found.casefold())
    return found


def _escaped(word: str) -> str:
    """A word of letters, digits, `_` and `-`; all other bytes of its UTF-8 become `%` with two hex digits."""
    return quote(word, safe="", errors="surrogatepass").replace(".", "%2E").replace("~", "%7E")
