"""Writes the list of the words of `-lm-type` into docs/add-a-format.md; `make pages` runs this file."""

from __future__ import annotations

from pathlib import Path

from lmparse.spec.kind_words import KIND_WORDS

PAGE = Path(__file__).parents[2] / "docs" / "add-a-format.md"
BEGIN, END = "<!-- kinds: written by `make pages` -->\n", "<!-- end -->\n"


def with_list(text: str) -> str:
    """The page with the list in its place."""
    before, _, rest = text.partition(BEGIN)
    listed = "".join(f"- `{word}`: {text}\n" for word, text in KIND_WORDS.items())
    return f"{before}{BEGIN}\n{listed}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(with_list(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
