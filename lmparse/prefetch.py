"""Prefetch: the next batch is made while whoever asked is busy with the last one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")
_END = object()


def ahead(items: Iterator[T], count: int = 2) -> Iterator[T]:
    """The same items in the same order, up to `count` of them made beforehand by a thread.

    An error comes where it arose. When nobody asks any more, the thread ends with the item it is at.
    """
    held: queue.Queue[object] = queue.Queue(count)
    is_over = threading.Event()

    def put(item: object) -> bool:
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
                if not put((item, None)):
                    return
            put((_END, None))
        except BaseException as error:
            put((_END, error))

    thread = threading.Thread(target=make, name="lmparse prefetch", daemon=True)
    thread.start()
    try:
        while True:
            item, error = held.get()  # type: ignore[misc]
            if error is not None:
                raise error
            if item is _END:
                return
            yield item
    finally:
        is_over.set()
        thread.join()
