"""`saccade.explore`: the page that `--export` writes, inside a notebook or as a file."""

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from saccade.errors import InputError
from saccade.explorer.page import exported_page, is_exported_page
from saccade.explorer.session import Session
from saccade.explorer.side_by_side import page_document
from saccade.output_files import OutputFile
from saccade.serving.loading import load
from saccade.serving.model_names import numbered, short_name
from saccade.serving.translator import Translator
from saccade.tracing.options import TraceOptions

HEIGHT = 900
"""Pixels of the frame: enough for the heat map of a usual sentence."""


class ExplorerPage:
    """A self-contained page. A notebook shows it; `save` writes it."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    @property
    def html(self) -> str:
        """The file."""
        return exported_page(self.document)

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Writes the file; any browser opens it, with no network and no server. Only another page is replaced."""
        path = Path(path)
        advice = "Choose another name, or pass overwrite=True."
        OutputFile.of(path, overwrite=overwrite, ours=is_exported_page, advice=advice).write(self.html)
        return path

    def _repr_html_(self) -> str:
        """A sandboxed frame with the file inside, separate from the notebook."""
        style = f"width: 100%; height: {HEIGHT}px; border: 1px solid #ccc; border-radius: 8px"
        rights = 'sandbox="allow-scripts allow-downloads"'
        return f'<iframe srcdoc="{html.escape(self.html)}" title="saccade explorer" {rights} style="{style}"></iframe>'


def explore(
    model: str | Path | Translator,
    *more: str | Path | Translator,
    sentence: str | Sequence[str],
    options: TraceOptions | None = None,
    detail: Sequence[str] = (),
    view: str = "translate",
) -> ExplorerPage:
    """A page that shows how one or several models translate a sentence."""
    sentences = [sentence] if isinstance(sentence, str) else list(sentence)
    if not sentences:
        raise InputError("`sentence` must be at least one sentence, but there is none. Give one.")
    return ExplorerPage(page_document(Session(models_by_name(model, *more)), sentences, options, detail, f"#/{view}"))


def models_by_name(*models: str | Path | Translator) -> dict[str, Translator]:
    """Models by the names that a page shows; a second of the same name gets a number."""
    given = [model if isinstance(model, Translator) else load(model) for model in models]
    names = [model.bundle.architecture if isinstance(model, Translator) else short_name(model) for model in models]
    return dict(zip(numbered(names), given, strict=True))
