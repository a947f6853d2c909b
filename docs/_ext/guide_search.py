"""The guides in the search of the site: one entry for each section and each name of the Python reference.

Entries have the form of those of the spec pages (lmparse/review/docs/search.py): kind, name, text, address, words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.environment import BuildEnvironment

Entry = list[str | list[str]]
TABLES = {"glossary": "word", "options": "option"}
"""Pages whose tables have an entry for each row, and the kind of these entries."""
WITHOUT_WORDS = ("changelog", "commands", "options")
"""Pages that name everything, so that what they name in code leads elsewhere first."""


def guide_entries(env: BuildEnvironment) -> Iterator[Entry]:
    """The entries of all guides; addresses are relative to the folder of the spec pages."""
    for docname in sorted(env.found_docs):
        tree = env.get_doctree(docname)
        page = env.titles[docname].astext()
        for section in tree.findall(nodes.section):
            yield _of_section(section, docname, page)
            if docname in TABLES:
                yield from _of_rows(section, docname)
        for signature in tree.findall(addnodes.desc_signature):
            yield from _of_name(signature, docname)


def _of_section(section: nodes.section, docname: str, page: str) -> Entry:
    title = next(iter(section.findall(nodes.title))).astext()
    is_page = isinstance(section.parent, nodes.document)
    own = [child for child in section.children if not isinstance(child, nodes.section | nodes.title | addnodes.toctree)]
    words = dict.fromkeys(re.findall(r"[\w-]{2,}", title.lower()))
    for child in own if docname not in WITHOUT_WORDS else ():
        words |= dict.fromkeys(_bare(code.astext()) for code in child.findall(nodes.literal))
    address = f"../{docname}.html" + ("" if is_page else f"#{section['ids'][0]}")
    text = " ".join(" ".join(_text(child) for child in own).split())
    return ["guide", title if is_page else f"{page}: {title}", text, address, sorted(filter(None, words))]


def _of_rows(section: nodes.section, docname: str) -> Iterator[Entry]:
    """One entry for each row of the tables of a section: its names are those before the last cells."""
    for table in (child for child in section.children if isinstance(child, nodes.table)):
        for row in next(iter(table.findall(nodes.tbody))).findall(nodes.row):
            cells = [" ".join(_text(cell).split()) for cell in row.children]
            names = [name.strip() for cell in (cells[:3] if len(cells) > 3 else cells[:1]) for name in cell.split(",")]
            known = dict.fromkeys(_bare(name) for name in names if name != "no")
            text = "; ".join(cells[-2:] if len(cells) > 3 else cells[1:])
            yield [TABLES[docname], names[0], text, f"../{docname}.html#{section['ids'][0]}", list(known)]


def _of_name(signature: addnodes.desc_signature, docname: str) -> Iterator[Entry]:
    if signature["ids"]:
        name = signature["ids"][0]
        text = " ".join(child.astext() for child in signature.parent.findall(addnodes.desc_content))
        yield ["Python", name, " ".join(text.split()), f"../{docname}.html#{name}", [name.rpartition(".")[2].lower()]]


def _bare(code: str) -> str:
    return code.strip("-").lower() if len(code) <= 60 else ""


def _text(node: nodes.Node) -> str:
    """The text of a node, with blanks between the cells of its tables; drawings have none."""
    if isinstance(node, nodes.raw | nodes.comment):
        return ""
    return " ".join(text.astext() for text in node.findall(nodes.Text) if not isinstance(text.parent, nodes.raw))
