"""How ./build-docs makes a site of all documents; their index, README.md here, is its menu."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import neurogame

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project, author, release = "neurogame", "The neurogame authors", neurogame.__version__
root_doc = "docs/README"
include_patterns = ["README.md", "C*.md", "docs/**", "notebooks/*.ipynb", "checkpoints/README.md"]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
nb_execution_mode = "off"  # the notebooks hold their outputs, and a test runs them
myst_heading_anchors = 6
autodoc_member_order = "bysource"
html_theme = "furo"
html_static_path, html_css_files = ["_static"], ["tables.css"]
html_title = "neurogame"
html_copy_source = False
html_show_copyright = False

_GROUP = re.compile(r"^\*\*(.+)\*\*$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#\s]+\.(?:md|ipynb))\)")
_WITHIN = re.compile(r"\]\(#[^)]+\)")


def menu(index: str) -> str:
    """Return the tables of contents that the index stands for: a caption each, and its links."""
    _, *parts = _GROUP.split(index)
    lines = ["```{toctree}\n:hidden:\n:caption: The package\n\n../README\n```"]
    for caption, text in zip(parts[::2], parts[1::2], strict=True):
        pages = dict.fromkeys(link.rsplit(".", 1)[0] for link in _LINK.findall(text))
        lines += [f"```{{toctree}}\n:hidden:\n:caption: {caption}\n", *pages, "```"]
    return "\n".join(lines)


def reference() -> str:
    """Return what the docstrings of the public names say, as directives."""
    lines = ["## Reference\n", "```{eval-rst}"]
    for name in neurogame.__all__:
        thing = getattr(neurogame, name)
        if name in ("data", "envs"):
            lines += [f".. automodule:: neurogame.{name}", "   :members:", ""]
        elif isinstance(thing, type):
            lines += [f".. autoclass:: neurogame.{name}", "   :members:", ""]
        elif callable(thing):
            lines += [f".. autofunction:: neurogame.{name}", ""]
    return "\n".join([*lines, "```"])


def complete(app: Sphinx, page: str, source: list[str]) -> None:
    """Add the menu to the index, the reference to the page of names; mend links in notebooks."""
    if page == root_doc:
        source[0] += f"\n\n{menu(source[0])}\n"
    elif page == "docs/api":
        source[0] += f"\n\n{reference()}\n"
    elif page.startswith("notebooks/"):  # Jupyter names headings otherwise than documents do
        source[0] = _WITHIN.sub(lambda link: re.sub(r"[.,?:]", "", link[0].lower()), source[0])


def add_entrance(app: Sphinx, failed: Exception | None) -> None:
    """Let the folder open at the index."""
    if failed is None:
        to = f"<meta http-equiv=refresh content='0; url={root_doc}.html'>"
        (Path(app.outdir) / "index.html").write_text(to, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect what is said above."""
    app.connect("source-read", complete)
    app.connect("build-finished", add_entrance)
