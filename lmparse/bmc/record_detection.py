"""How data change records are recognised, and where one ends that has no descriptor word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from lmparse.bmc.change_record import SPEC, Places, change_types, image_change_types, longest, table_places
from lmparse.changes.change import ROLES
from lmparse.errors import FramingError, InvalidValueError
from lmparse.framing.base import Framing
from lmparse.framing.descriptors import TRAILERS, cut_short, excerpt, no_record
from lmparse.framing.detection import Detection
from lmparse.spec import catalog
from lmparse.storage.buffers import Buffer, occurrences
from lmparse.values import codepages, packed_times

_NAME = re.compile(r"(?:[A-Z$#@][A-Z0-9$#@]*)? *\Z|\0+\Z")
"""Start of the name of a Db2 subsystem or group member; only $#@ differ between code pages."""
_LETTER = rb"[\x5B\x7B\x7C\xC1-\xC9\xD1-\xD9\xE2-\xE9]"
_LETTER_OR_DIGIT = rb"[\x40\x5B\x7B\x7C\xC1-\xC9\xD1-\xD9\xE2-\xE9\xF0-\xF9]"
"""The characters of such a name in EBCDIC, blanks among them."""
_CODE = re.compile(r"[A-Z][A-Z ]*\Z")
"""A CHANGE TYPE, listed or not."""
_NEEDED = ("length", "system_id", "change_type", "seg_len", "total_segs")
_LENGTHS_OF_NAMES = ("tbowner_len", "tbname_len")
_LONGEST_NAME = 128
"""Bytes of the longest name in Db2."""
_POSITIONS = ("log_rba", "log_lrsn")
_VOTERS, _LEAST_VOTES = 32, 3
"""Records behind one that may show what SEGLEN counts, and fewest that do."""
_MOST_STEPS = 1 << 14
"""Places of which it is kept what their records show."""
_PROVING = (*_LENGTHS_OF_NAMES, *_POSITIONS, "timestamp")
"""Fields in which a header is known from other bytes."""


def detection(described: Places | None = None, width: int | None = None) -> Detection:
    """How data change records are recognised.

    `described` and `width` are those of a header that XHDF records describe differently from the manual.
    """
    layout = catalog.load(SPEC).layout
    table = table_places((*_NEEDED, *_PROVING))
    places = table if described is None else described
    # XHDF may describe the header of another file; then the error comes from the records.
    least = sum(places.get("system_id", (0, 0))) if width else layout["length"].minimum or 0

    def is_one(raw: bytes) -> bool:
        is_long_enough = least <= _number(raw, table["length"]) <= len(raw)
        return is_long_enough and _NAME.match(_system_name(raw, 0, places)) is not None

    def test(records: list[bytes], framing: Framing) -> str | None:
        lengths = Counter(_number(raw, table["length"]) for raw in records if is_one(raw))
        if not lengths:
            return f"no record begins with a header LENGTH from {least} and the name of a Db2 subsystem"
        common, count = lengths.most_common(1)[0]
        if 2 * count <= len(records):
            return f"only {count} of {len(records)} records begin with LENGTH {common}"
        return None

    is_whole = all(name in places for name in _NEEDED)
    return Detection("data change records", test, _Cutter(least, places) if is_whole else None, record=is_one)


def _number(raw: Buffer, place: tuple[int, int], offset: int = 0) -> int:
    start = offset + place[0]
    return int.from_bytes(raw[start : start + place[1]], "big")


def _system_name(raw: Buffer, offset: int, places: Places) -> str:
    start, width = places.get("system_id", (0, 0))
    return codepages.lookup("cp037").decode(raw[offset + start : offset + start + width])


class _Cutter:
    """Finds the end of a record that has no descriptor word.

    Candidates come from the halfwords of the DATA area under each meaning, and from SEGLEN in a segmented record and in
    one without row images, whose payload is not documented. A candidate counts if the file ends there or a header with
    the same LENGTH and the name of a system begins there. Behind a payload of which SEGLEN says nothing, such a
    header is searched: one that is damaged is not found, and its record is then taken for a part of the payload.
    """

    def __init__(self, least: int, places: Places) -> None:
        self._least = least
        self._places = places
        start, width = places["system_id"]
        self._system_end = start + width
        self._lengths_of_names = [name for name in _LENGTHS_OF_NAMES if name in places]
        self._word = catalog.load("zos_rdw").layout.width or 0
        self._any_header = re.compile(b"(?s)(?=%b)" % b"".join(self._bytes_of_header()))
        self._steps: tuple[Buffer | None, dict[tuple[int, int], tuple[int | None, tuple[int, ...]]]] = None, {}
        """Of a buffer, by place and end: what `_step` gives, which is asked for the same places again and again."""
        self._halfword = catalog.load("bmc_lldf_data").layouts["bmc_lldf_data.image"]["length"].width or 0

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_steps": (None, {})}

    def __call__(self, buffer: Buffer, offset: int, end: int, index: int) -> int:
        length = self._header_length(buffer, offset, end, index)
        inside = self._record_inside(buffer, offset, min(offset + length, end), end, None)
        if inside is not None:
            raise FramingError(
                "the record ends inside its header", code="LMP-F005", spec=SPEC, field="length", field_offset=0,
                expected=f"a header of {length} bytes", found=f"another header {inside - offset} bytes behind it",
                hex=excerpt(buffer, offset, end),
            )  # fmt: skip
        ends = self._ends(buffer, offset, end, length)
        candidates = list(dict.fromkeys(place for place in ends if place >= offset + length))
        possible = [
            candidate for candidate in candidates
            if candidate == end or (candidate < end and self._begins(buffer, candidate, end, offset))
        ]  # fmt: skip
        if possible:
            candidate = self._most_likely(buffer, offset, length, possible, end)
            self._check_inside(buffer, offset, length, candidate, end)
            if candidate == end and not self._is_confirmed(buffer, offset, length, end):
                self._check_length(buffer, offset, length, end)
            return candidate - offset
        stated = self._stated_ends(buffer, offset, length)
        for candidate in stated:
            if candidate == end or (candidate < end and self._begins_damaged(buffer, candidate, end, offset)):
                for other in self._other_headers(buffer, offset, candidate):
                    raise self._wrong_length(buffer, offset, length, other, end)
                return candidate - offset
        beyond = [candidate for candidate in candidates if end < candidate <= offset + longest()]
        searched = self._next_header(buffer, offset, end, length)
        if searched is not None and (searched < end or not beyond) and searched <= max(stated, default=searched):
            other = next(self._other_headers(buffer, offset, searched), searched)
            if other < offset + length:
                raise self._wrong_length(buffer, offset, length, other, end)
            return other - offset
        if beyond:
            raise cut_short(buffer, offset, end, index, min(beyond) - offset, spec=SPEC)
        raise FramingError(
            "the record's own lengths do not lead to another record", code="LMP-F005", spec=SPEC, field="data",
            field_offset=length, expected="a header of the same LENGTH behind it",
            found=", ".join(f"{candidate - offset} bytes" for candidate in (*candidates, *stated)) or "no length",
            hex=excerpt(buffer, offset, end),
        )  # fmt: skip

    def _header_length(self, buffer: Buffer, offset: int, end: int, index: int) -> int:
        have = end - offset
        width = self._places["length"][1]
        length = int.from_bytes(buffer[offset : min(offset + width, end)].ljust(width, b"\x00"), "big")
        is_trailer = have <= width and buffer[offset:end] in TRAILERS
        is_short = have >= width and length < self._least
        if is_trailer or is_short or length > longest() or not _NAME.match(self._system_name(buffer, offset)):
            raise no_record(
                buffer, offset, end, index, spec=SPEC, field="length", field_offset=0,
                expected=f"a header LENGTH from {self._least}, then the name of a Db2 subsystem",
                found=f"X'{buffer[offset : offset + self._system_end].hex().upper()}'",
            )  # fmt: skip
        if have < max(length, self._least):
            raise cut_short(buffer, offset, end, index, max(length, self._least), spec=SPEC)
        return length

    def _bytes_of_header(self) -> list[bytes]:
        """Expressions of what each byte of a header may be, in fields that few values have so."""
        start, width = self._places["system_id"]
        found = [b"."] * max(sum(self._places[name]) for name in ("system_id", "change_type", *self._lengths_of_names))
        found[start : start + width] = [_LETTER, *[_LETTER_OR_DIGIT] * (width - 1)]
        for start, width in map(self._places.__getitem__, self._lengths_of_names):
            found[start : start + width] = [*[b"\0"] * (width - 1), b"[\0-%c]" % _LONGEST_NAME]
        start, width = self._places["change_type"]
        found[start : start + width] = [_LETTER, *[_LETTER_OR_DIGIT] * (width - 1)]
        return found

    def _other_headers(self, buffer: Buffer, offset: int, before: int) -> Iterator[int]:
        """Places inside a record, and before another one, at which a header of another LENGTH begins."""
        same = _number(buffer, self._places["length"], offset)
        start, before = offset + self._system_end, min(before, offset + longest())
        for match in self._any_header.finditer(buffer[start:before]):
            place = start + match.start()
            if _number(buffer, self._places["length"], place) != same and self._is_named_header(buffer, place, before):
                yield place

    def _check_length(self, buffer: Buffer, offset: int, length: int, end: int) -> None:
        """Raise FramingError LMP-F005 if a record up to the end of the file has others of another LENGTH inside.

        Then its own is damaged: in front of any other place, the next record has the same one.
        """
        is_stated, known = self._states_seg_len(buffer, offset), dict[int, bool]()
        for found in self._other_headers(buffer, offset, end):
            if self._leads(buffer, found, end, end, known, is_stated):
                raise self._wrong_length(buffer, offset, length, found, end)

    def _wrong_length(self, buffer: Buffer, offset: int, length: int, found: int, end: int) -> FramingError:
        return FramingError(
            "the record ends in front of another header", code="LMP-F005", spec=SPEC, field="length", field_offset=0,
            expected=f"a header of the same LENGTH, {length}", hex=excerpt(buffer, offset, end),
            found=f"one of {_number(buffer, self._places['length'], found)}, {found - offset} bytes behind it",
        )  # fmt: skip

    def _most_likely(self, buffer: Buffer, offset: int, length: int, possible: list[int], end: int) -> int:
        """Where the record ends, of some places at which another one may begin, but values may look so as well.

        It is where more lengths agree, then where more of a header is; else the first, see `_ends`, unless records
        behind show that SEGLEN counts otherwise.
        """
        if len(possible) == 1:
            return possible[0]
        stated = self._ends_by_seg_len(buffer, offset, length)
        likely = min(
            possible,
            key=lambda place: (
                not self._is_filled(buffer, offset, length, place),
                place not in stated,
                place != end and not self._is_header(buffer, place, end),
                place != end and end - place < self._system_end,
            ),
        )
        is_by_seg_len = likely in stated and not self._is_filled(buffer, offset, length, likely)
        for other in sorted(set(possible).intersection(stated)) if is_by_seg_len else ():
            if other > likely and self._is_outvoted(buffer, offset, likely, other, end):
                return other
        return likely

    def _is_outvoted(self, buffer: Buffer, offset: int, likely: int, other: int, end: int) -> bool:
        """Whether records behind show that SEGLEN does not count what leads to the likely place, but what leads on."""
        ends = self._ends_by_seg_len(buffer, offset, _number(buffer, self._places["length"], offset))
        votes = self._votes(buffer, other, end)
        against, for_it = (sum(votes[n] for n, one in enumerate(ends) if one == place) for place in (other, likely))
        return against >= _LEAST_VOTES and not for_it

    def _votes(self, buffer: Buffer, place: int, end: int) -> Counter[int]:
        """How many records from a place on have a SEGLEN that leads to one place alone, by meaning."""
        votes: Counter[int] = Counter()
        following: int | None = place
        for _ in range(_VOTERS):
            if following is None:
                break
            following, meanings = self._step(buffer, following, end)
            votes.update(meanings)
        return votes

    def _step(self, buffer: Buffer, place: int, end: int) -> tuple[int | None, tuple[int, ...]]:
        """The nearest place at which the record at a place may end, and the meanings of SEGLEN that it votes for."""
        if self._steps[0] is not buffer or len(self._steps[1]) > _MOST_STEPS:
            self._steps = buffer, {}
        known = self._steps[1]
        if (place, end) not in known:
            known[place, end] = self._new_step(buffer, place, end)
        return known[place, end]

    def _new_step(self, buffer: Buffer, place: int, end: int) -> tuple[int | None, tuple[int, ...]]:
        if end - place < self._system_end:
            return None, ()
        length, stated = _number(buffer, self._places["length"], place), set[int]()
        meanings: tuple[int, ...] = ()
        if self._states_seg_len(buffer, place):
            by_seg_len = self._ends_by_seg_len(buffer, place, length)
            stated = self._records_at(buffer, by_seg_len, place, end)
            if len(stated) == 1:
                meanings = tuple(meaning for meaning, one in enumerate(by_seg_len) if one in stated)
        behind = self._records_at(buffer, self._ends(buffer, place, end, length), place, end) | stated
        return min(behind, default=None), meanings

    def _records_at(self, buffer: Buffer, ends: Iterable[int], place: int, end: int) -> set[int]:
        """The places of some at which a record that begins at another one may end."""
        least = place + max(_number(buffer, self._places["length"], place), self._system_end)
        return {
            one for one in ends
            if one == end or (least <= one < end and self._is_header(buffer, one, end)
                              and self._begins(buffer, one, end, place))
        }  # fmt: skip

    def _is_confirmed(self, buffer: Buffer, offset: int, length: int, candidate: int) -> bool:
        """Whether all lengths lead to the end of row images: then what is inside is a value, whatever it looks like."""
        return self._is_filled(buffer, offset, length, candidate) and (
            not self._states_seg_len(buffer, offset) or candidate in self._ends_by_seg_len(buffer, offset, length)
        )

    def _is_filled(self, buffer: Buffer, offset: int, length: int, candidate: int) -> bool:
        """Whether row images and a total end at a place; in the best documented meaning the halfwords have one."""
        if not self._has_images(buffer, offset):
            return False
        half, data = (0, self._halfword), offset + length
        place = data + self._halfword
        for _ in range(self._image_count(buffer, offset)):
            place += self._halfword + _number(buffer, half, place)
        return place == candidate == data + _number(buffer, half, data)

    def _check_inside(self, buffer: Buffer, offset: int, length: int, candidate: int, end: int) -> None:
        """Raise FramingError LMP-F005 if a length leads behind another record, as one that is damaged may.

        Only a change that is decoded would show it, and options may exclude it.
        """
        if self._is_confirmed(buffer, offset, length, candidate):
            return
        inside = self._record_inside(buffer, offset, candidate, end, candidate)
        if inside is not None:
            has_own_lengths = _number(buffer, self._places["change_type"], offset) in image_change_types()
            is_stated = not has_own_lengths or _number(buffer, self._places["total_segs"], offset) > 1
            seg_len, (start, _) = _number(buffer, self._places["seg_len"], offset), self._places["seg_len"]
            raise FramingError(
                f"{'SEGLEN' if is_stated else 'a length in DATA'} leads behind another record", code="LMP-F005",
                spec=SPEC, field="seg_len" if is_stated else "data", field_offset=start if is_stated else length,
                expected=f"at most {inside - offset - length} bytes of DATA",
                found=str(seg_len if is_stated else candidate - offset - length), hex=excerpt(buffer, offset, end),
            )  # fmt: skip

    def _record_inside(self, buffer: Buffer, offset: int, before: int, end: int, until: int | None) -> int | None:
        """The first place behind `offset` and before another place at which a whole record of the same LENGTH begins.

        Any bytes may be in a value: the length of a text may be LENGTH, and the text begin as the name of a system. So
        the lengths of what is found must lead from record to record up to `until`, and SEGLEN must be a length of each,
        if records have one. A header to which another length of this record leads needs no more. `until` is None where
        this record may be cut short, so that its fields are of the next one: then lengths lead anywhere.
        """
        length, (place, width) = _number(buffer, self._places["length"], offset), self._places["change_type"]
        has_seg_len = until is not None and self._states_seg_len(buffer, offset)
        # Where this record alone has one, it is damaged.
        is_stated = has_seg_len and (until == end or self._states_seg_len(buffer, until or offset))
        # SEGLEN and row images lead there, but SEGLEN may count something else, and do it by chance.
        is_agreed = (
            has_seg_len and until in self._ends_by_seg_len(buffer, offset, length) and self._has_images(buffer, offset)
        )
        if until is not None:
            for found in sorted(self._other_ends(buffer, offset, length, until, has_seg_len, is_agreed)):
                if self._is_named_header(buffer, found, end):
                    return found
        known: dict[int, bool] = {}
        same = buffer[offset : offset + self._places["length"][1]]
        for found in occurrences(buffer, same, offset + 1, min(before - 1 + len(same), end)):
            if found + self._system_end > end or not self._begins(buffer, found, end, offset):
                continue
            code = codepages.lookup("cp037").decode(buffer[found + place : found + place + width])
            if not _CODE.match(code) or (is_agreed and not self._is_counted_alike(buffer, offset, found, until or end)):
                continue
            if self._leads(buffer, found, end, until, known, is_stated):
                return found
        return None

    def _other_ends(
        self, buffer: Buffer, offset: int, length: int, until: int, has_seg_len: bool, is_agreed: bool
    ) -> set[int]:
        """The places in front of another one to which lengths of a record lead too, if SEGLEN does not refute them."""
        ends = set(self._ends(buffer, offset, until, length))
        stated = self._ends_by_seg_len(buffer, offset, length) if has_seg_len else ()
        if stated:
            ends.discard(offset + length)  # of a payload that may be empty, but SEGLEN says more
        if is_agreed:
            ends = {place for place in ends if self._is_filled(buffer, offset, length, place)}
            stated = tuple(place for place in stated if self._is_counted_alike(buffer, offset, place, until))
        return {place for place in ends.union(stated) if offset + self._system_end <= place < until}

    def _is_counted_alike(self, buffer: Buffer, offset: int, following: int, last: int) -> bool:
        """Whether SEGLEN leads to another record, and from there on up to a place, in one meaning."""
        length = _number(buffer, self._places["length"], offset)
        both = zip(*(self._ends_by_seg_len(buffer, place, length) for place in (offset, following)), strict=True)
        return any(
            first == following
            and following + length <= second <= last
            and (second == last or self._begins(buffer, second, last, offset))
            for first, second in both
        )

    def _leads(
        self, buffer: Buffer, place: int, end: int, until: int | None, known: dict[int, bool], is_stated: bool
    ) -> bool:
        """Whether lengths lead from a record to the next ones, see `_record_inside`; `known` are places tested before.

        They may lead behind `until` too, if it is in the middle of a record. Where records have no SEGLEN, one without
        any length leads anywhere.
        """
        last, path = end if until is None else until, list[int]()
        while place not in known:
            path.append(place)
            ends = self._credible_ends(buffer, place, end, is_stated)
            following = [one for one in ends if one == end or self._begins(buffer, one, end, place)]
            leads = bool(following) and (until is None or self._is_behind(buffer, max(following), last, end))
            has_length = is_stated or self._states_seg_len(buffer, place) or not self._has_payload(buffer, place)
            if not self._is_header(buffer, place, end):
                known[place] = False
            elif last in ends or leads or not has_length:
                known[place] = True
            elif following:
                place = following[0]
            else:
                known[place] = False
        found = known[place]
        known.update(dict.fromkeys(path, found))
        return found

    def _is_behind(self, buffer: Buffer, place: int, last: int, end: int) -> bool:
        """Whether a place is behind another one, and is the end of the file or a header."""
        return place > last and (place == end or self._is_header(buffer, place, end))

    def _credible_ends(self, buffer: Buffer, place: int, last: int, is_stated: bool) -> list[int]:
        """Where a record may end up to a place, if SEGLEN agrees, which may be none where `is_stated` is False."""
        length = _number(buffer, self._places["length"], place)
        is_numbered = is_stated or self._states_seg_len(buffer, place)
        return [
            one for one in dict.fromkeys(self._ends(buffer, place, last, length))
            if place + max(length, self._system_end) <= one <= last
            and (not is_numbered or one in self._ends_by_seg_len(buffer, place, length))
        ]  # fmt: skip

    def _is_header(self, buffer: Buffer, place: int, end: int) -> bool:
        """Whether more than LENGTH and the name of a system is that of a header, in fields that few values have so."""
        if place + max(start + width for start, width in self._places.values()) > end:
            return False
        if any(_number(buffer, self._places[name], place) > _LONGEST_NAME for name in self._lengths_of_names):
            return False
        positions = [_number(buffer, at, place) for at in self._places_of(_POSITIONS)]
        if positions and not any(positions):
            return False
        try:
            for start, width in self._places_of(("timestamp",)):
                packed = packed_times.extend_timestamp(buffer[place + start : place + start + width])
                packed_times.decode_timestamp17(packed)
        except InvalidValueError:
            return False
        return True

    def _is_named_header(self, buffer: Buffer, place: int, end: int) -> bool:
        """The same, whatever its LENGTH, which may be damaged; of a system that has a name."""
        name = self._system_name(buffer, place)
        return bool(name.strip(" \0") and _NAME.match(name)) and self._is_header(buffer, place, end)

    def _places_of(self, names: Iterable[str]) -> list[tuple[int, int]]:
        """Of the fields that this header has."""
        return [self._places[name] for name in names if name in self._places]

    def _system_name(self, buffer: Buffer, offset: int) -> str:
        return _system_name(buffer, offset, self._places)

    def _ends(self, buffer: Buffer, offset: int, end: int, length: int) -> Iterable[int]:
        data = offset + length
        segments = _number(buffer, self._places["total_segs"], offset)
        if segments > 1:
            yield from self._ends_by_seg_len(buffer, offset, length)
            return
        change_type = _number(buffer, self._places["change_type"], offset)
        if change_type not in image_change_types():
            yield from self._stated_ends(buffer, offset, length)
            # An empty DATA area is tried before its halfwords: the LENGTH of the next header can pass for a halfword.
            yield data
        elif end - data < self._halfword:
            yield data + self._halfword
            return
        first = _number(buffer, (0, self._halfword), data)
        if first >= self._halfword:
            yield data + first
        for own in (self._halfword, 0):
            place = data
            for _ in range(self._image_count(buffer, offset)):
                # Behind the end of the file at least the next length is missing.
                is_there = place + self._halfword <= end
                length = _number(buffer, (0, self._halfword), place) if is_there else self._halfword
                place += length + self._halfword - own
            yield place

    def _stated_ends(self, buffer: Buffer, offset: int, length: int) -> list[int]:
        """Where a record without row images ends by the meanings of SEGLEN; none if there is none."""
        if not self._states_seg_len(buffer, offset) or not self._has_payload(buffer, offset):
            return []
        return [place for place in self._ends_by_seg_len(buffer, offset, length) if place >= offset + length]

    def _ends_by_seg_len(self, buffer: Buffer, offset: int, length: int) -> tuple[int, ...]:
        """Where a record ends if SEGLEN counts it, it and its descriptor word, or DATA."""
        seg_len = _number(buffer, self._places["seg_len"], offset)
        return offset + seg_len, offset + seg_len - self._word, offset + length + seg_len

    def _states_seg_len(self, buffer: Buffer, offset: int) -> bool:
        return _number(buffer, self._places["seg_len"], offset) > 0

    def _image_count(self, buffer: Buffer, offset: int) -> int:
        change_type = _number(buffer, self._places["change_type"], offset)
        return len(ROLES["U"]) if change_type == change_types()["update"] else 1

    def _has_images(self, buffer: Buffer, offset: int) -> bool:
        """Whether a record has row images, and is whole."""
        change_type = _number(buffer, self._places["change_type"], offset)
        return change_type in image_change_types() and _number(buffer, self._places["total_segs"], offset) <= 1

    def _has_payload(self, buffer: Buffer, offset: int) -> bool:
        """Whether a record has no row images, and is whole."""
        change_type = _number(buffer, self._places["change_type"], offset)
        return change_type not in image_change_types() and _number(buffer, self._places["total_segs"], offset) <= 1

    def _next_header(self, buffer: Buffer, offset: int, end: int, length: int) -> int | None:
        """End of a payload without a length: the next header, or the end of the file."""
        if not self._has_payload(buffer, offset):
            return None
        same = buffer[offset : offset + self._places["length"][1]]
        places = occurrences(buffer, same, offset + length, end)
        return next((found for found in places if self._begins(buffer, found, end, offset)), end)

    def _begins(self, buffer: Buffer, candidate: int, end: int, like: int) -> bool:
        """Whether a header of the same LENGTH and of some system begins there, as far as there are bytes."""
        if end - candidate < self._system_end:
            # A line end put behind the file is not part of the record either.
            rest = buffer[candidate:end]
            return rest in TRAILERS or rest[:2] == buffer[like : like + len(rest[:2])]
        length = self._places["length"]
        if _number(buffer, length, candidate) != _number(buffer, length, like):
            return False
        name = self._system_name(buffer, candidate)
        return self._is_of(buffer, candidate, like) or bool(name.strip(" \0") and _NAME.match(name))

    def _begins_damaged(self, buffer: Buffer, candidate: int, end: int, like: int) -> bool:
        """Whether a header of the same system but of another LENGTH, which is damage, begins there."""
        return end - candidate >= self._system_end and self._is_of(buffer, candidate, like)

    def _is_of(self, buffer: Buffer, candidate: int, like: int) -> bool:
        """Whether a header is of the same system, as far as there are bytes."""
        place = self._places["system_id"]
        return len(buffer) < candidate + self._system_end or (
            _number(buffer, place, candidate) == _number(buffer, place, like)
        )
