"""How Sphinx makes the site; `build.py` writes its sources first."""

import builtins
import os
from pathlib import Path
from typing import Any

from docutils.nodes import Element, TextElement, document
from names import aliases
from reference import escaped
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import accel

project = "accel"
author = copyright = "The accel developers"
version = release = accel.__version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# Types that are not ours, and names of others in docstrings: no inventory of theirs is fetched.
nitpick_ignore_regex = [("py:.*", ".*")]
# Indented blocks are commands and what these print.
highlight_language = "none"
default_role = "py:obj"
suppress_warnings = ["ref.python"]  # words such as `type` are also attributes of several classes

myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
python_maximum_signature_line_length = 100

html_theme = "pydata_sphinx_theme"
html_title = f"accel {release}"
html_static_path = [str(Path(__file__).parent / "assets")]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {page: [] for page in ("index", "gallery", "browser", "project/changelog")}
html_theme_options = {
    "logo": {"text": "accel"},
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "navigation_with_keys": False,
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
if documentation := os.environ.get("ACCEL_SITE_URL"):
    html_baseurl = documentation
    html_theme_options["switcher"] = {"json_url": f"{documentation}/versions.json", "version_match": release}
    html_theme_options["check_switcher"] = False
    html_theme_options["navbar_end"].insert(0, "version-switcher")


def _resolve(app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: TextElement) -> Element | None:
    """Find a name where it is documented, if a docstring or an annotation has it by another of its names."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    known = _ALIASES.get(target) or _ALIASES.get(f"{node.get('py:module')}.{target}")
    if known is None or known == target:
        return None
    return env.get_domain("py").resolve_xref(env, node["refdoc"], app.builder, "obj", known, node, contnode)


def _leave_builtins(_: Sphinx, doctree: document) -> None:
    """Let types of Python be no links: `accel.xp` has a `bool`, and classes have attributes called `type`."""
    for node in list(doctree.findall(pending_xref)):
        if node.get("refdomain") == "py" and hasattr(builtins, node["reftarget"]):
            node.replace_self(node.children)


def _escape(*event: Any) -> None:
    *_, lines = event
    lines[:] = [escaped(line) for line in lines]


_ALIASES = aliases()


def setup(app: Sphinx) -> None:
    """Connect what this file has."""
    app.connect("doctree-read", _leave_builtins)
    app.connect("missing-reference", _resolve)
    app.connect("autodoc-process-docstring", _escape)
