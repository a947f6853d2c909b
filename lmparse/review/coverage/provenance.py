"""Provenance: what the bytes of a sample rest on, so that no count of made bytes reads as a proof."""

from __future__ import annotations

from enum import Enum

DEMO_MARK, DEMO_TEXT = "lmparse-demo.txt", b"lmparse demo replaces what is in this folder\n"
"""The file by which the folder of a demo is recognised; its logs are in folders beside the file."""


class Provenance(Enum):
    """Where the bytes of a file come from, the strongest evidence first."""

    GIVEN = "given"
    """A file of the caller, with nothing beside it that says where it comes from."""
    PRINTED = "printed"
    """Bytes that a vendor printed."""
    SYNTHETIC = "synthetic"
    """Bytes that were made after the manuals; they agree with the spec as far as both understood them alike."""

    @property
    def about(self) -> str:
        """What it means, as the end of a sentence."""
        return _ABOUT[self]

    @property
    def strength(self) -> int:
        """Sort key: smaller is stronger evidence."""
        return list(Provenance).index(self)


_ABOUT = {
    Provenance.GIVEN: "files given on the command line; lmparse does not know whether a product wrote them",
    Provenance.PRINTED: "bytes that a vendor printed, in a manual or in the output of a sample program",
    Provenance.SYNTHETIC: "bytes that were made after the same manuals as the specs; no product wrote them",
}


def of_words(text: object) -> Provenance:
    """The provenance that a case states: the word behind the last semicolon, or `given` if that is none of them."""
    last = str(text or "").rpartition(";")[2].strip().lower()
    return next((one for one in Provenance if one.value == last), Provenance.GIVEN)
