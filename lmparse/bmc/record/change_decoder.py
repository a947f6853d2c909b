"""Decoder: makes a change from its header and DATA area."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from lmparse.bmc.control.table_names import TableName, table_name
from lmparse.bmc.control.tables import Tables, TableVersion, full_ids, identity
from lmparse.bmc.log import order
from lmparse.bmc.log import seq as log_seq
from lmparse.bmc.log.interpretation import Interpretation
from lmparse.bmc.log.order import OPERATIONS
from lmparse.bmc.record.change_record import DataArea
from lmparse.bmc.record.segments import JoinedChange
from lmparse.changes.change import OF_ROWS, ROLES, TABLE_IDS, Change, add_row, reading
from lmparse.errors import ControlError, DataError, InvalidValueError
from lmparse.records.reader import Values
from lmparse.spec.layout import Layout
from lmparse.values.codepages import CodePage


@dataclass
class ChangeDecoder:
    """Decodes the changes of one log."""

    layout: Layout
    tables: Tables
    interpretation: Interpretation
    code_page: CodePage
    columns: frozenset[str] | None
    notice: Callable[[str], None]
    _names: dict[tuple[Any, ...], TableName] = field(default_factory=dict)

    def decode(self, joined: JoinedChange) -> tuple[Change, list[DataError]]:
        """One change and the faults in its DATA area. Raises the error of a record that cannot be read."""
        values, extent = joined.values, joined.extent
        area = self._area(values)
        version: TableVersion | None = None
        fault: ControlError | None = None
        try:
            version = self.tables.find(values)
        except ControlError as error:
            fault = error
        name = self.name(values, version)
        change = Change(
            op=OPERATIONS.get(values["change_type"]),
            seq=log_seq.seq(values, joined.ordinal),
            txn_id=log_seq.txn_id(values),
            schema_name=name.schema,
            table_name=name.name,
            table_name_short=name.is_short,
            values=values,
            header={name: value for name, value in values.items() if name != "data"},
            outcome=order.disposition(values),
            is_undone=order.effect(values) != order.MADE,
            commit_ts=values["uor_commit_timestamp"],
            ts=values["timestamp"],
            extent=extent,
            length=sum(entry.length for entry in joined.extents),
            table=version,
        )
        if not area.images:
            ids = {TABLE_IDS: full_ids(values)} if version is None and change.op in OF_ROWS else {}
            change.detail = (ids | _detail(values, area, self.code_page)) or None
            return change, []
        images = dict(zip(ROLES[change.op or ""], area.images, strict=True))
        if version is None or fault is not None:
            # The row cannot be read, so its bytes are kept.
            change.detail = {TABLE_IDS: full_ids(values)}
            change.detail |= {f"{role}_bytes": image.hex().upper() for role, image in images.items()}
            if fault is not None:
                change.faults.append(fault)
            return change, [*change.faults]
        self._read_images(change, version, images)
        return change, [*change.faults]

    def name(self, values: Values, version: TableVersion | None) -> TableName:
        """Owner and name of the table in a header."""
        stated = (values[name] for name in ("tbowner_len", "tbname_len", "table_owner", "table_name"))
        key = (*identity(values), *stated, id(version))
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = table_name(values, self.layout, version, self.code_page)
            scheme = version.described.get("encoding_scheme") if version else "E"
            if version and scheme not in ("E", "A", "U"):
                self.notice(f"nothing names the encoding of {name.full} ({version.identity}): text is read as EBCDIC")
            for column in version.columns if version else ():
                if column.ccsid and column.page is None:
                    self.notice(f"there is no table for CCSID {column.ccsid}: {column.name} stays bytes")
        return name

    def _area(self, values: Values) -> DataArea:
        try:
            return self.interpretation.data.read(values["change_type"], values["data"])
        except DataError as error:
            # Offsets inside DATA of several segments are not offsets in a record.
            error.spec, error.field_offset = self.layout.id, None
            error.field = f"data.{error.field}" if error.field else "data"
            raise

    def _read_images(self, change: Change, version: TableVersion, images: dict[str, bytes]) -> None:
        absent: dict[str, str] = {}
        for role, image in images.items():
            with reading(role):
                row = self.interpretation.read_image(version, image, self.columns)
            add_row(change, role, row, absent)
        if absent:
            change.detail = {"absent": absent}


def _detail(values: Values, area: DataArea, page: CodePage) -> dict[str, Any]:
    """The column `detail` of a change without row images."""
    detail: dict[str, Any] = {}
    if values["change_type"] not in OPERATIONS or values["change_type"] == "DR":
        detail["change_type"] = values["change_type"]
    if area.clone is not None:
        detail["clone_owner"], detail["clone_name"] = (page.decode(part).rstrip(" ") for part in area.clone)
    if area.limit_keys:
        detail["limit_keys"] = [key.hex().upper() for key in area.limit_keys]
    if area.payload:
        text = ""
        with suppress(InvalidValueError):
            text = page.decode(area.payload)
        detail |= {"text": text} if text and text.isprintable() else {"payload": area.payload.hex().upper()}
    return detail
