"""The pages of `lmparse docs` as a part of the site: in its folder formats/, with its header and its search.

The pages stay as the command wrote them, but for four things: the header of the site takes the place of their own,
which becomes a line of it; their search knows the guides too, and the guides have their search; the colours are those
that the reader chose on any page; and the page on errors is that of the guides.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from guide_search import guide_entries
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from lmparse.review.templating import render

FOLDER = "formats"
SECTIONS = (
    ("Tutorials", "tutorials.html"),
    ("Guides", "guides.html"),
    ("Reference", "reference.html"),
    ("Formats", f"{FOLDER}/index.html"),
)
"""The sections of the site, as its header names them."""
ERRORS = "errors.html"
HEADER = re.compile(r'<header class="site.*?</header>', re.DOTALL)
FORM = re.compile(r'<form class="search".*?</form>', re.DOTALL)
LINKS = re.compile(r"<ul>.*?</ul>", re.DOTALL)
SKIP = re.compile(r'<a class="skip".*?</a>\n?')
CODE = re.compile(rf'href="{ERRORS}(#[\w-]+)?"')
NONCE = re.compile(r'nonce="\w+"')
ENTRIES = re.compile(r"window\.LMPARSE_SEARCH = \[\n(.*)\n\];\n", re.DOTALL)


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_config_value("spec_pages", "", "html")
    app.connect("builder-inited", _without_index)
    app.connect("html-page-context", _with_header)
    app.connect("build-finished", _place)
    return {"parallel_read_safe": True}


def _without_index(app: Sphinx) -> None:
    """There is one search, and it is not that of Sphinx, which knows nothing of fields and bytes."""
    app.builder.search = False


def _one(pattern: re.Pattern[str], text: str, what: str) -> re.Match[str]:
    found = pattern.search(text)
    if found is None:
        raise ExtensionError(f"a page of lmparse docs has no {what}: its templates have changed")
    return found


def _made(app: Sphinx) -> Path:
    folder = Path(app.config.spec_pages)
    if not (folder / "site.json").is_file():
        raise ExtensionError(f"{folder} is not a folder that lmparse docs wrote; `make docs` writes it")
    return folder


def _header(root: str, target: str, here: str, form: str, line: str = "") -> str:
    """The header of all pages. `root` leads to the top of the site, `target` is the place of the text of the page."""

    def link(name: str, address: str) -> str:
        current = ' aria-current="true"' if name == here else ""
        return f'<li><a href="{root}{address}"{current}>{name}</a></li>'

    return (
        f'<a class="lm-skip" href="#{target}">Skip to the page</a>\n'
        f'<header class="lm-header"><div class="lm-inner">\n<a class="lm-home" href="{root}index.html">lmparse</a>\n'
        f'<nav aria-label="Site"><ul>{"".join(link(*section) for section in SECTIONS)}</ul></nav>\n{form}\n'
        '<button type="button" class="lm-theme" hidden>Colours: <span>auto</span></button>\n'
        f"</div>{line}</header>"
    )


def _with_header(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    form = _one(FORM, (_made(app) / "index.html").read_text("utf-8"), "form for its search")[0]
    titles = [parent["title"] for parent in context.get("parents", ())] + [context.get("title", "")]
    here = next((name for name, _ in SECTIONS if any(name in title for title in titles)), "")
    context["site_header"] = _header(context["content_root"], "furo-main-content", here, form)
    if "body" in context:  # what scrolls sideways is reached by keyboard
        body = context["body"].replace("<pre>", '<pre tabindex="0">')
        context["body"] = body.replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')


def _place(app: Sphinx, error: Exception | None) -> None:
    """Write the pages, the entries of the search and its script."""
    if error is not None:
        return
    made, out = _made(app), Path(app.outdir) / FOLDER
    out.mkdir(exist_ok=True)
    for path in sorted(made.glob("*.html")):
        if path.name != ERRORS:
            (out / path.name).write_text(_of_the_site(path.read_text("utf-8"), path.name), "utf-8")
    (out / "search-data.js").write_text(_entries(app, (made / "search-data.js").read_text("utf-8")), "utf-8")
    (Path(app.outdir) / "_static" / "site-search.js").write_text(render("site.js"), "utf-8")


def _of_the_site(page: str, name: str) -> str:
    """A page with the header of the site."""
    own = _one(HEADER, page, "header")[0]
    line = _one(LINKS, own, "list of links in its header")[0]
    line = re.sub(rf'\s*<li><a href="{ERRORS}"[^>]*>.*?</a></li>', "", line)
    nav = f'<nav class="lm-line" aria-label="Formats">{line}</nav>'
    header = _header("../", "main-part", "Formats", _one(FORM, own, "form for its search")[0], nav)
    page = SKIP.sub("", page, count=1).replace(own, header)
    page = CODE.sub(_error_link, page)
    nonce = _one(NONCE, page, "nonce of its policy")[0]  # without it a browser uses neither
    style = f'<link rel="stylesheet" {nonce} href="../_static/header.css">\n'
    style += f'<script {nonce} src="../_static/header.js"></script>\n'
    return page.replace("</head>", style + "</head>", 1)


def _error_link(match: re.Match[str]) -> str:
    return f'href="../{ERRORS}{(match[1] or "").lower()}"'


def _entries(app: Sphinx, script: str) -> str:
    """The entries of the spec pages, and those of the guides behind them."""
    lines = _one(ENTRIES, script, "entries of its search")[1].split(",\n")
    kept = []
    for line in lines:
        entry = json.loads(line)
        if str(entry[3]).startswith(ERRORS):
            entry[3] = f"../{entry[3].lower()}"
        kept.append(entry)
    guides = [*guide_entries(app.env)]
    text = ",\n".join(_json(entry) for entry in [*kept, *guides])
    return f"window.LMPARSE_SEARCH = [\n{text}\n];\n"


def _json(entry: Any) -> str:
    text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
