"""Control search: finds the control file of a data file."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from lmparse.bmc.control import control_file
from lmparse.bmc.control.control_file import first_code, read_control
from lmparse.bmc.record import change_record
from lmparse.changes.family import FoundControl
from lmparse.errors import ControlError, DataError, FramingError, TruncatedError
from lmparse.framing.base import Framing
from lmparse.framing.descriptors import record_starts
from lmparse.framing.detection import detect
from lmparse.limits import DEFAULT, Limits
from lmparse.storage import addresses, buffers, compression, stored
from lmparse.storage.addresses import local_path, name_of_local
from lmparse.storage.buffers import Buffer
from lmparse.storage.joined import Joined, JoinedPiece, is_joined, joined_of
from lmparse.storage.listing import children, is_there, look_up

_HEAD = 16
"""First bytes of a file that show whether it may be a control file, whatever its framing."""
_MOST_FILES = 2000
"""Most files in the folder of one log that are searched if nobody has named the folder."""


def is_control(path: str, limits: Limits = DEFAULT) -> bool:
    """Whether a file is a control file and not a data file."""
    try:
        if addresses.is_remote(path):
            entry = stored.look_up(path)
            return entry is not None and not entry.is_folder and _data_set(path, entry.stamp, limits) is not None
        return _data_set(path, buffers.stamp(path), limits) is not None
    except DataError:
        return False


def _is_control(path: str, limits: Limits) -> bool:
    """Whether the bytes of a file are those of a control file and not of a data file."""
    try:
        buffer = buffers.open_buffer(path, limits)
        found = detect(buffer, control_file.detection(), limits)
        if _has_changes(buffer, found.framing):
            return False
        if found.is_proven:
            return True
    except TruncatedError:
        return True  # the first record is cut short, which reading reports
    except FramingError:
        return False
    # A file that begins like a control file is a damaged one, unless the whole file can be read as a data file.
    try:
        return not detect(buffer, change_record.detection(), limits).is_proven
    except FramingError:
        return True


def _has_changes(buffer: Buffer, framing: Framing) -> bool:
    """Whether a file of control records also has data change records. Read as a data file, they are not lost."""
    is_change = change_record.detection().record
    assert is_change is not None
    with suppress(FramingError):
        return any(is_change(extent.read(buffer)) for extent in framing.extents(buffer, 0, len(buffer), 0))
    return False


def _data_set(path: str, stamp: Hashable, limits: Limits) -> str | None:
    """Name of the data set that a control file describes, in capitals; empty if it names none; None for another file.

    A file with a stamp of its state must be copied to be read. It is copied only if it begins like a control file, and
    once for each state. Raises FramingError LMP-F001.
    """
    return _named_by(path, limits) if stamp is None else _named_by_copied(path, stamp, limits)


def _named_by(path: str, limits: Limits) -> str | None:
    first = buffers.head(path, _HEAD)
    if len(first) == _HEAD and not any(first.startswith(first_code(), place) for place in record_starts()):
        return None
    _copy = buffers.open_buffer(path, limits)  # the next functions read this copy
    if not _is_control(path, limits):
        return None
    try:
        return (read_control(path, limits=limits).first("DLDS").get("orig_data_dsname") or "").upper()
    except DataError:
        return ""


@lru_cache(maxsize=4096)
def _named_by_copied(path: str, stamp: Hashable, limits: Limits) -> str | None:
    return _named_by(path, limits)


class ControlSearch:
    """Finds the control files of data files. Each folder is searched once; files that come later are not seen."""

    def __init__(self, limits: Limits = DEFAULT) -> None:
        self._limits = limits
        self._folders: dict[str, list[tuple[str, str]]] = {}
        """The control files in each folder, each with the data set that it names."""
        self._sizes: dict[str, int] = {}
        """The number of files in each folder that nobody has named."""

    def find(self, path: str, control: str | None) -> str:
        """The control file of a data file; of joined data files, the address of their control files.

        `control` is a path, a pattern with `{stem}`, or a folder; None stands for the folder of the data file. In a
        folder, the control file is the one whose DLDS record names the data set, or the one with the stem of the data
        file. Raises ControlError LMP-C007 if no file or more than one fits, FramingError LMP-F001 if the folder cannot
        be read.
        """
        data = joined_of(path)
        if data is not None and control is not None and is_joined(control):
            return control
        if data is not None:
            return Joined(tuple(JoinedPiece(self.find(one.path, control), 0, 0) for one in data.pieces)).address
        place = _place_of(path)
        if control is not None:
            stem = Path(compression.unpacked_name(place)).stem
            is_pattern, given = "{stem}" in control, local_path(control)
            is_remote, control = addresses.is_remote(given), given.replace("{stem}", stem)
            if is_pattern and not is_remote and not is_there(control) and is_there(given):
                control = given  # the name of a folder or a file, and no pattern
            control = control if is_remote else name_of_local(control)
            entry = look_up(local_path(control))
            if entry is None or not entry.is_folder:
                if is_pattern and not is_there(control):
                    raise ControlError(f"no control file {control} for it", code="LMP-C007", file=path)
                return control
        return self._in_folder(
            path, control if control is not None else (addresses.folder_of(place) or "."), place
        ).path

    def beside(self, path: str) -> FoundControl:
        """The control file in the folder of one log, as `find` finds it, and how it was found.

        Nobody has named the folder, so it may contain anything. ControlError LMP-C007 is also raised for a folder with
        so many files that a search takes longer than a user waits without a message.
        """
        place = _place_of(path)
        folder = addresses.folder_of(place) or "."
        if folder not in self._sizes:
            self._sizes[folder] = len(_files_in(folder))
        if (count := self._sizes[folder]) > _MOST_FILES:
            raise ControlError(
                f"too many files in {folder} to look for its control file", code="LMP-C007", file=path,
                expected=f"at most {_MOST_FILES} files", found=f"{count} files", hint="name it with control",
            )  # fmt: skip
        return self._in_folder(path, folder, place)

    def _in_folder(self, path: str, folder: str, place: str) -> FoundControl:
        """The control file of a folder that is for the log at `place`. Raises as `find`."""
        if folder not in self._folders:
            known: list[tuple[str, str]] = []
            for file, stamp in _files_in(folder):
                with suppress(FramingError):  # an unreadable file may belong to another log
                    if (data_set := _data_set(file, stamp, self._limits)) is not None:
                        known.append((file, data_set))
            self._folders[folder] = known
        candidates = [(file, data_set) for file, data_set in self._folders[folder] if file != place]
        name = compression.unpacked_name(place)
        names, stem = (name.upper(), Path(name).stem.upper()), Path(name).stem
        named = [file for file, data_set in candidates if data_set in names]
        same = [file for file, _ in candidates if Path(compression.unpacked_name(file)).stem == stem]
        for fitting, why in ((named, "its DLDS names the data set"), (same, "it has the same stem")):
            if len(fitting) == 1:
                others = f", as no other of {len(candidates)} there" if len(candidates) > 1 else ""
                return FoundControl(fitting[0], f"beside the log: {why}{others}")
        listed = named or same or [file for file, _ in candidates]
        raise ControlError(
            f"{'several control files' if named or same else 'no control file'} in {folder} for it", code="LMP-C007",
            file=path, expected="one whose DLDS names the data set, or of the same stem",
            found=", ".join(map(addresses.base_name, listed)) or "none", hint="name it with control",
        )  # fmt: skip


def _place_of(path: str) -> str:
    return path if addresses.is_remote(path) else name_of_local(str(Path(local_path(path))))


def _files_in(folder: str) -> list[tuple[str, Hashable]]:
    """Every file in a folder, with a stamp of its state if it must be copied to be read."""
    found = [entry for entry in children(folder, lambda name: True) if not entry.is_folder and not entry.fault]
    if addresses.is_remote(folder):
        return [(entry.path, entry.stamp) for entry in found]
    return [(name_of_local(str(Path(entry.path))), buffers.stamp(entry.path)) for entry in found]
