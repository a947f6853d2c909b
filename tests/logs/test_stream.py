"""Files of a log that arrive one by one give each change once, wherever the reading is ended and begun again."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from samples import db2_scripts as luw
from writers.db2.stream import Stream

import lmparse
from lmparse.errors import FramingError, OptionError, ReadError
from lmparse.framing import index
from lmparse.logs import arrow, taken_files
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.logs.partitions import Request
from lmparse.logs.stream import LogStream, StreamOffset
from lmparse.logs.taken_files import TakenFiles
from lmparse.storage.landing import Arrival

OPTIONS = {"spec": "db2_log", "generation": "v10", "byte_order": "little", "framing": "filter"}
AT_ONCE = Arrival(seconds=0)


class Landing:
    """A folder in which extracts of a log arrive."""

    def __init__(self, folder: Path, stream: Stream | None = None) -> None:
        stream = stream or luw.full_stream("v10", "little", "filter")
        self.data, self.folder = stream.bytes(), folder / "landing"
        whole = folder / "whole.log"
        whole.write_bytes(self.data)
        self.seqs = sorted(row["seq"] for row in lmparse.open_log(whole, **OPTIONS).changes())
        lead = open_changes(whole, read_options(OPTIONS)).framing.lead
        self.places = [record.offset - lead for record in stream.records][1:]
        self.folder.mkdir()
        self.request = Request((str(self.folder),), read_options(OPTIONS), with_changes=True, max_bytes=1500)

    def put(self, start: int, end: int, name: str = "") -> Path:
        path = self.folder / (name or f"{start:08}.log")
        path.write_bytes(self.data[start:end])
        return path

    def stream(self, arrival: Arrival = AT_ONCE) -> LogStream:
        """One that knows nothing but what an offset says."""
        return LogStream(self.request, arrival)

    def batch(self, start: StreamOffset, end: StreamOffset) -> list[str]:
        schema = arrow.request_schema(self.request)
        found = []
        for part in self.stream().parts(start, end):
            for batch in arrow.part_batches(part, schema, with_changes=True):
                found += batch.column("seq").to_pylist()
        return found


def again(offset: StreamOffset) -> StreamOffset:
    """The offset as it is after it has been stored."""
    return StreamOffset.of(json.loads(json.dumps(offset.to_dict())))


@pytest.mark.parametrize("seed", range(4))
def test_files_that_arrive_one_by_one(seed: int, tmp_path: Path) -> None:
    landing, chosen = Landing(tmp_path), random.Random(seed)
    cuts = [0, *sorted(chosen.sample(landing.places, 6)), len(landing.data)]
    waiting, offset, found = list(pairwise(cuts)), StreamOffset(), list[str]()
    assert landing.stream().latest(offset) == offset  # an empty folder is an empty stream
    while waiting or (end := landing.stream().latest(offset)) != offset:
        for _ in range(chosen.randrange(3)):
            if waiting:
                start, behind = waiting.pop(0)
                landing.put(
                    chosen.choice([start, max(place for place in [0, *landing.places] if place <= start)]), behind
                )
        end = again(landing.stream().latest(offset, chosen.choice([None, 1, 2])))
        first = landing.batch(offset, end)
        assert landing.batch(offset, end) == first  # a batch that failed is read again
        found += first
        offset = end
    assert sorted(found) == landing.seqs
    assert offset.taken == len(cuts) - 1
    assert len(json.dumps(offset.to_dict())) < 6000


class Reads:
    """Counts the records of which streams read anything, by file."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.records = Counter[str]()
        windows = index.windows

        def counted(framing: Any, buffer: Any, *given: Any, **named: Any) -> Iterator[Any]:
            for window in windows(framing, buffer, *given, **named):
                self.records[buffer._name] += len(window)
                yield window

        patch.setattr(index, "windows", counted)


def test_files_that_are_done_are_not_read_by_a_query_that_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The offset proves which ones they are; if one of them has been touched or moved, a record of each tells."""
    log = Stream("v10", "little", "filter")
    for number in range(14):
        unit = log.begin()
        unit.insert(luw.ITEM, luw.item(number))
        unit.insert(luw.ITEM, luw.item(100 + number))
        unit.commit()
    landing = Landing(tmp_path, log)
    cuts, new = [0, *landing.places[2:38:3]], (landing.places[35], len(landing.data))
    paths = [landing.put(start, end) for start, end in pairwise(cuts)]
    for number, path in enumerate(reversed(paths)):
        os.utime(path, (number, number))  # copied in another order than that of the log
    offset = StreamOffset()
    while (behind := again(landing.stream().latest(offset, 5))) != offset:
        offset = behind
    added = landing.put(*new)

    def started_again() -> Counter[str]:
        with monkeypatch.context() as patch:
            reads = Reads(patch)
            assert landing.stream().latest(offset).taken == len(paths) + 1
        return Counter({path: count for path, count in reads.records.items() if path != str(added)})

    assert started_again() == {}
    os.utime(paths[0])
    paths[3].unlink()
    assert set(started_again().values()) == {1}


def test_no_more_files_are_taken_than_were_there(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    one, two = landing.places[10], landing.places[20]
    landing.put(0, one)
    stream = landing.stream()
    stream.hold()
    landing.put(one, two)
    offset = stream.latest(StreamOffset())
    assert (offset.taken, stream.latest(offset)) == (1, offset)
    assert landing.stream().latest(offset).taken == 2


def test_files_are_taken_when_they_are_whole(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    path = landing.put(0, landing.places[10])
    marked, settled = Arrival(marker=".done"), Arrival(seconds=60)
    for arrival in (marked, settled):
        assert landing.stream(arrival).latest(StreamOffset()) == StreamOffset()
    os.utime(path, (1, 1))
    assert landing.stream(settled).latest(StreamOffset()).taken == 1
    path.with_name(path.name + ".done").touch()
    assert landing.stream(marked).latest(StreamOffset()).taken == 1


def test_a_file_that_comes_late_or_goes(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    one, two, three = landing.places[10], landing.places[20], landing.places[30]
    landing.put(0, one)
    last = landing.put(two, three)
    offset = landing.stream().latest(StreamOffset())
    late = landing.put(one, two)
    with pytest.raises(FramingError) as found:
        landing.stream().latest(offset)
    assert found.value.code == "LMP-F014"
    assert str(late) in str(found.value)
    late.unlink()
    last.unlink()
    with pytest.raises(FramingError) as gone:
        landing.batch(StreamOffset(), offset)
    assert gone.value.code == "LMP-F014"


@pytest.mark.parametrize("moved", [1, 2])
@pytest.mark.parametrize("kept", [1000, 2])
def test_a_file_that_comes_late_when_others_have_been_moved_away(
    kept: int, moved: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among the files that are kept it is told from those that were read, also under another name."""
    monkeypatch.setattr(taken_files, "KEPT", kept)
    landing = Landing(tmp_path)
    cuts = landing.places[4:32:4]
    files = [landing.put(start, end) for start, end in pairwise(cuts)]
    late = files.pop(4).rename(tmp_path / "late")
    offset = StreamOffset()
    while (behind := again(landing.stream().latest(offset, 1))) != offset:
        offset = behind
    for file in files[:moved]:
        file.rename(tmp_path / file.name)
    files[3].rename(files[3].with_name("again.log"))
    assert landing.stream().latest(offset) == offset
    late.rename(landing.folder / "late.log")
    with pytest.raises(FramingError, match=r"late\.log") as found:
        landing.stream().latest(offset)
    assert found.value.code == "LMP-F014"


def test_an_offset_says_of_few_files_which_they_are() -> None:
    keys = [f"{number:08} {number}.log" for number in range(5 * taken_files.KEPT)]
    taken = TakenFiles()
    for number, key in enumerate(keys):
        taken = taken.then([key])
        assert len(taken.hashes) <= 24 * taken_files.KEPT
        assert taken.others(keys[max(0, number - taken_files.KEPT + 1) : number + 1]) == []
    assert taken == TakenFiles().then(keys)
    assert taken.others(keys) == []
    between = f"{keys[-10].split()[0]}5 new.log"
    assert taken.others([*keys, between]) == [between]
    renamed = [key.replace(" ", " z") for key in keys]
    assert taken.others(renamed) == []


@pytest.mark.parametrize("moved", [False, True])
def test_a_file_that_was_read_may_be_compressed(moved: bool, tmp_path: Path) -> None:
    log = Stream("v10", "little", "filter")
    for number in range(10):
        unit = log.begin()
        unit.insert(luw.ITEM, luw.item(number))
        unit.commit()
    landing = Landing(tmp_path, log)
    cuts = [0, *landing.places[1::2]]
    files = [landing.put(start, end) for start, end in pairwise(cuts[:8])]
    offset = again(landing.stream().latest(StreamOffset()))
    if moved:
        files.pop(0).rename(tmp_path / "away")
    files[1].with_suffix(".log.gz").write_bytes(gzip.compress(files[1].read_bytes()))
    files[1].unlink()
    landing.put(cuts[7], cuts[8])
    assert landing.stream().latest(offset).taken == offset.taken + 1


def test_an_offset_of_before_says_nothing_of_files(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    landing.put(0, landing.places[10])
    stored = landing.stream().latest(StreamOffset()).to_dict()
    offset = StreamOffset.of({name: value for name, value in stored.items() if not name.startswith("kept")})
    assert landing.stream().latest(offset) == offset
    landing.put(landing.places[10], landing.places[20])
    assert landing.stream().latest(offset).taken == 2


@pytest.mark.parametrize("grown", [0, 1, 2])
def test_a_file_that_was_not_whole_when_it_was_read(grown: int, tmp_path: Path) -> None:
    """It ended at the end of a record. What is new in it is behind what has been read, or between two files."""
    landing = Landing(tmp_path)
    cuts = [0, *landing.places[10:31:10], landing.places[32]]
    files = [landing.put(start, end) for start, end in list(pairwise(cuts))[:3]]
    whole = files[grown].read_bytes()
    landing.put(cuts[grown], next(place for place in landing.places if place > cuts[grown]), files[grown].name)
    offset = again(landing.stream().latest(StreamOffset()))
    assert (offset.taken, landing.stream().latest(offset)) == (3, offset)
    files[grown].write_bytes(whole)
    landing.put(cuts[3], cuts[4])
    with pytest.raises(FramingError, match="it was not whole") as found:
        landing.stream().latest(offset)
    assert found.value.code == "LMP-F014"
    older = ("names", "last_size", "kept", "kept_after", "kept_since")
    before = StreamOffset.of({name: value for name, value in offset.to_dict().items() if name not in older})
    assert landing.stream().latest(before).taken == 4


def test_a_batch_whose_files_are_others(tmp_path: Path) -> None:
    """A batch that is read again has the files that it had, or is an error: changes would be lost in silence."""
    landing = Landing(tmp_path)
    one, two, three = landing.places[10], landing.places[20], landing.places[-3]
    landing.put(0, one)
    begun = landing.stream().latest(StreamOffset())
    path = landing.put(one, two)
    landing.put(two, three)
    stream = landing.stream()
    offset = stream.latest(begun)
    sound = sorted(landing.batch(StreamOffset(), begun) + landing.batch(begun, offset))
    assert sound
    for start, end in ((0, one), (one, landing.places[15]), (0, two)):
        landing.put(start, end, path.name)
        with pytest.raises(FramingError) as found:
            landing.batch(begun, offset)
        assert found.value.code == "LMP-F014"
        with pytest.raises((FramingError, ReadError)):  # and by the stream that has made the offset
            list(stream.parts(begun, offset))
    landing.put(one, two)
    assert sorted(landing.batch(StreamOffset(), begun) + landing.batch(begun, offset)) == sound


def test_an_offset_of_another_family(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    landing.put(0, landing.places[10])
    offset = landing.stream().latest(StreamOffset())
    assert offset.checkpoint is not None
    other = replace(offset, checkpoint=replace(offset.checkpoint, spec="bmc_lldf"))
    landing.put(landing.places[10], landing.places[20])
    with pytest.raises(OptionError) as found:
        landing.stream().latest(other)
    assert found.value.code == "LMP-S030"


@pytest.mark.parametrize("options", [{"include": "all"}, {"ending_seq": "0" * 72}])
def test_what_is_not_a_stream(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(OptionError):
        LogStream(Request((str(tmp_path),), read_options({"spec": "db2_log", **options}), with_changes=True), AT_ONCE)


@pytest.mark.parametrize("damaged", [
    {"checkpoint": 1}, {"last": None}, {"taken": True}, {"taken": -1}, {"taken": 1 << 63}, {"taken": 1.0},
    {"taken": "1"}, {"checkpoint": "{}"}, {"present": "1"}, {"states": 1}, {"checkpoint": "\ud800"}, {"files": None},
    {"kept": 1}, {"kept_after": None}, {"kept_since": []},
])  # fmt: skip
def test_offsets_of_something_else(damaged: dict[str, Any]) -> None:
    sound = {"checkpoint": "", "last": "", "taken": 0, "files": ""}
    assert StreamOffset.of(sound) == StreamOffset()
    with pytest.raises(OptionError) as found:
        StreamOffset.of({**sound, **damaged})
    assert found.value.code == "LMP-S030"
