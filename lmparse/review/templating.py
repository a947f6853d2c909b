"""Templates: pages from the texts in `templates/`, each whole in itself."""

from __future__ import annotations

import secrets
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from lmparse.errors import not_installed
from lmparse.storage.outputs import begins_with
from lmparse.terminal import harmless

if TYPE_CHECKING:
    from jinja2 import Environment


_BEGIN = b"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="lmparse">
"""
_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; "
    "script-src 'nonce-{0}'; style-src 'nonce-{0}'; style-src-attr 'unsafe-inline'"
)
"""What a page in a file may load and run: the styles and scripts of the templates, which have the nonce. Attributes
`style` may be used: they are indents and shares, which templates calculate."""
_NONCE_LENGTH = 32
foreign_page = begins_with(_BEGIN, "a page of lmparse")
"""What in a file is not a page of lmparse; the template of all pages begins so."""


def render(template: str, **values: Any) -> str:
    """The text of a page. A name that a template uses and nobody gives is an error, not a blank. Names and texts of
    others have no character that controls a terminal, or turns the direction of what is read on the page.

    Raises OptionError (LMP-S005) when Jinja2 is not installed.
    """
    return harmless(_environment().get_template(template).render({"nonce": "", "policy": ""} | values))


def render_page(template: str, **values: Any) -> str:
    """The text of a page that is a file, with the policy that nothing but its own styles and scripts is used: of what
    a text of others could bring to the page, a browser would run nothing, and would ask nobody for anything.

    The nonce is a hash of the page, so that the same page has the same bytes each time. Until the page is whole, a
    random word is in its place, which no text of others can have. Raises OptionError (LMP-S005) as `render` does.
    """
    word = secrets.token_hex(_NONCE_LENGTH)
    text = render(template, **values, nonce=word, policy=_POLICY.format(word))
    return text.replace(word, sha256(text.replace(word, "").encode()).hexdigest()[:_NONCE_LENGTH])


def check_installed() -> None:
    """Raise OptionError (LMP-S005) when Jinja2 is not installed: before a log is read for a page."""
    _environment()


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
    except ImportError as error:
        raise not_installed(error, "pages") from None
    return Environment(
        loader=PackageLoader("lmparse.review"),
        autoescape=select_autoescape(("html", "md", "svg")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
