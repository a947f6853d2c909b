"""Prefetch: the next batch is made while the caller uses the last one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _End:
    """The end of the items, or the error that ended them."""

    error: BaseException | None = None


def prefetched(items: Iterator[T], count: int = 2) -> Iterator[T]:
    """The same items in the same order, up to `count` of them made in advance by a thread.

    An error is raised at its place among the items. If the caller stops, the thread ends after its current item.
    """
    held: queue.Queue[tuple[T] | _End] = queue.Queue(count)
    is_over = threading.Event()

    def put(item: tuple[T] | _End) -> bool:
        while not is_over.is_set():
            try:
                held.put(item, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    def make() -> None:
        try:
            for item in items:
                if not put((item,)):
                    return
            put(_End())
        except BaseException as error:
            put(_End(error))

    thread = threading.Thread(target=make, name="lmparse prefetch", daemon=True)
    thread.start()
    try:
        while not isinstance(found := held.get(), _End):
            yield found[0]
        if found.error is not None:
            raise found.error
    finally:
        is_over.set()
        thread.join()
