"""Files of the repository on the site: texts that stand outside of docs/ are included, and links to files lead to them.

A page of docs/ is also read on GitHub. So a text is included by the directive `include` of MyST, with `start-after` and
`end-before`, and links are relative paths; both mean here what they mean there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

INCLUDE = re.compile(r"^```\{include\} (\S+)\n((?::[\w-]+:.*\n)*)```\n", re.MULTILINE)
OPTION = re.compile(r"^:([\w-]+): *(.*)$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
IMAGE = re.compile(r"^!\[([^\]]*)\]\((\S+\.svg)\)\n", re.MULTILINE)
FENCED = re.compile(r"^( *)(```+|~~~+).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "tests/cases/README.md": "cases.md",
    "bench/README.md": "benchmarks.md",
}
"""Texts of the repository that are pages of the site."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}


def _read(app: Sphinx, docname: str, content: list[str]) -> None:
    """Replace includes by their text, and links by those of the site; the pages on specs have neither."""
    if docname.startswith("formats/"):
        return
    docs = Path(app.srcdir)

    def included(match: re.Match[str]) -> str:
        path = (docs / match[1]).resolve()
        app.env.note_dependency(str(path))
        options = dict(OPTION.findall(match[2]))
        unknown = set(options) - {"start-after", "end-before"}
        if unknown:
            raise ExtensionError(f"{docname}: include has no option {', '.join(sorted(unknown))}")
        text = _between(
            path.read_text("utf-8"), docname, **{key.replace("-", "_"): word for key, word in options.items()}
        )
        return _linked(text, path.parent.relative_to(docs.parent).as_posix(), docs)

    own = _linked(content[0], "docs", docs)
    content[0] = IMAGE.sub(_drawn(app, docs), INCLUDE.sub(included, own))


def _between(text: str, docname: str, *, start_after: str = "", end_before: str = "") -> str:
    for mark in filter(None, (start_after, end_before)):
        if text.count(mark) != 1:
            raise ExtensionError(f"{docname}: {mark!r} is not once in the text that it includes")
    if start_after:
        text = text.partition(start_after)[2]
    return text.partition(end_before)[0] if end_before else text


def _linked(text: str, folder: str, docs: Path) -> str:
    """The text of a file in a folder of the repository, with links as a page in docs/ has them; code is left alone."""

    def link(match: re.Match[str]) -> str:
        words, address = match.groups()
        path, _, place = address.partition("#")
        if ":" in path or not path:
            return match[0]
        return _link(words, posixpath.normpath(posixpath.join(folder, path)), f"#{place}" if place else "", docs)

    parts, reached = [], 0
    for block in FENCED.finditer(text):
        parts += [LINK.sub(link, text[reached : block.start()]), block[0]]
        reached = block.end()
    return "".join([*parts, LINK.sub(link, text[reached:])])


def _link(words: str, path: str, place: str, docs: Path) -> str:
    """A link to a path from the root of the repository."""
    if path == "formats" or (path.startswith("formats/") and path.endswith(".ksy")):
        name = "index" if path == "formats" else Path(path).stem
        return f'<a href="formats/{name}.html{place}">{words.replace("`", "")}</a>'
    if path in PAGES:
        return f"[{words}]({PAGES[path]}{place})"
    if path.startswith("docs/"):
        return f"[{words}]({path.removeprefix('docs/')}{place})"
    if not (docs.parent / path).is_file():
        raise ExtensionError(f"a link to {path}, which is not a file of the repository")
    return f"[{words}](../{path})"  # MyST copies the file


def _drawn(app: Sphinx, docs: Path) -> Callable[[re.Match[str]], str]:
    """Drawings stand in the page itself, so that they have the colours that the reader chose."""

    def drawing(match: re.Match[str]) -> str:
        path = docs / Path(match[2]).name
        app.env.note_dependency(str(path))
        svg = path.read_text("utf-8").partition("?>\n")[2] or path.read_text("utf-8")
        return f'<div class="picture">\n{svg.strip()}\n</div>\n'

    return drawing
