"""Records of any spec by both engines: what each construct of the language costs beside the generated parser.

python -m bench.any_spec --records 40000

The values are compared in each round.
"""

from __future__ import annotations

import argparse
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import data, harness, header
from lmparse.logs.arrow import read_table

Maker = Callable[[random.Random], bytes]
AT_LEAST = {"any_head": 30, "any_texts": 12, "any_bodies": 15, "any_lists": 10, "any_packets": 15}
"""How many times as fast as the generated parser records of each spec are read, at least."""


def head(chance: random.Random) -> bytes:
    """A record of `any_head`."""
    return (
        chance.randbytes(67) + struct.pack("<fd", chance.random(), chance.random()) + b"name0007" + chance.randbytes(13)
    )


def texts(chance: random.Random) -> bytes:
    """A record of `any_texts`."""
    name, city, note = (word(chance, most) for most in (12, 20, 60))
    front = struct.pack(">IB", chance.getrandbits(32), len(name)) + name + struct.pack(">q", chance.getrandbits(60))
    return front + city + b"\0" + struct.pack(">HH", 7, len(note)) + note + struct.pack(">d", chance.random())


def word(chance: random.Random, most: int) -> bytes:
    """Some letters."""
    return bytes(chance.choices(b"abcdefghijklmnopqrstuvwxyz", k=chance.randrange(most)))


def bodies(chance: random.Random) -> bytes:
    """A record of `any_bodies`."""
    tag, some = chance.randrange(1, 5), chance.randrange(3)
    contents = (
        struct.pack(">IBB", chance.getrandbits(32), some, chance.randrange(6)),
        struct.pack(">QIB", chance.getrandbits(40), chance.getrandbits(20), some),
        struct.pack(">HHB", chance.getrandbits(16), chance.getrandbits(16), some),
    )
    own = word(chance, 30)
    content = contents[tag - 1] if tag < 4 else bytes([len(own)]) + own + bytes([some])
    return struct.pack(">BQ", tag, chance.getrandbits(50)) + content


def lists(chance: random.Random) -> bytes:
    """A record of `any_lists`."""
    words = [word(chance, 9) for _ in range(chance.randrange(21))]
    items = b"".join(struct.pack("<HB", 3, len(one)) + one + struct.pack("<q", -5) for one in words)
    count = chance.randrange(21)
    return struct.pack("<IB", 9, len(words)) + items + bytes([count]) + chance.randbytes(4 * count)


def packets(chance: random.Random) -> bytes:
    """A packet of `any_packets`."""
    data_ = chance.randbytes(chance.randrange(40, 200))
    return struct.pack("<IIII", chance.getrandbits(31), 5, len(data_), len(data_)) + data_


MAKERS: dict[str, Maker] = {
    "any_head": head, "any_texts": texts, "any_bodies": bodies, "any_lists": lists, "any_packets": packets,
}  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Build the specs, make the files, compare, measure, print and write the result."""
    options = _options(arguments)
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as scratch:
        built, path = Path(scratch) / "built", Path(scratch) / "x.dat"
        build = [sys.executable, "build.py", "generate", "--formats", "bench/specs/any", "--out", str(built)]
        subprocess.run(build, check=True, cwd=data.ROOT, stdout=subprocess.DEVNULL)
        for name, maker in MAKERS.items():
            chance = random.Random(name)
            records = [maker(chance) for _ in range(options.records)]
            if name == "any_packets":  # a file that is one object
                path.write_bytes(b"".join((bytes(24), *records)))
            else:
                path.write_bytes(b"".join(struct.pack(">HH", len(raw) + 4, 0) + raw for raw in records))
            found[name] = _measure(name, path, str(built / name), options)
    content = {"machine": header.machine(), "records": options.records, "specs": found}
    print(f"written to {harness.write('any-spec', content).relative_to(data.ROOT)}")
    return 0


def _measure(name: str, path: Path, spec: str, options: argparse.Namespace) -> dict[str, object]:
    seconds: dict[str, list[float]] = {"kaitai": [], "columnar": []}
    tables = {}
    for number in range(options.rounds):
        for engine in [*seconds][number % 2 :] + [*seconds][: number % 2]:
            start = time.process_time()
            how: dict[str, Any] = {"rows": "packets"} if name == "any_packets" else {"framing": "rdw"}
            tables[engine] = read_table(path, spec=spec, engine=engine, metadata=False, **how)
            seconds[engine].append(time.process_time() - start)
        harness.check_equal(tables["kaitai"], tables["columnar"], "columnar")
    ratio = statistics.median(a / b for a, b in zip(seconds["kaitai"], seconds["columnar"], strict=True))
    rate = options.records / statistics.median(seconds["columnar"])
    print(f"{name:10} {ratio:5.1f} times the generated parser (at least {AT_LEAST[name]}), {rate:9,.0f} records/s")
    return {"bytes": path.stat().st_size, "cpu_seconds": seconds, "times_as_fast": ratio, "at_least": AT_LEAST[name]}


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Records of any spec by both engines.", allow_abbrev=False)
    parser.add_argument("--records", type=int, default=40_000, help="of each spec")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
