"""The site: guides, reference and the pages on all specs, built by `make docs` into build/site.

Sphinx reads this file.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]

import lmparse  # noqa: E402  # the checkout, whatever is installed

project = "lmparse"
version = release = lmparse.__version__
html_title = "lmparse"
html_short_title = "lmparse"

extensions = ["myst_parser", "sphinx.ext.autodoc", "repository_files", "spec_pages"]
exclude_patterns = ["_*"]
root_doc = "index"
nitpicky = False

# Guides are Markdown that GitHub shows too: links lead to the headings that GitHub makes anchors for.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block"]
myst_links_external_new_tab = False
suppress_warnings = ["myst.header"]  # pages of single commands begin with a lower heading
highlight_language = "none"

# The reference of Python is the docstrings. They are plain text, in which backquotes are code.
default_role = "code"
# Not pandas: PyArrow looks at what it is when it is imported.
autodoc_mock_imports = ["pyspark"]
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
add_module_names = False
python_use_unqualified_type_names = True

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#7db8f5", "color-brand-content": "#7db8f5"},
}
pygments_style = "a11y-light"
pygments_dark_style = "a11y-dark"
