"""One sentence through several models, as the document of a page that shows them side by side.

Each model's own translation comes first, in the order of the models; then the translation of the first model, forced
through the others, so that the rows of all figures stand for the same words. The text is forced, not its tokens: every
model has its own tokenizer.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from saccade.explorer.page import document
from saccade.explorer.session import Session
from saccade.tracing.options import TraceOptions

DETAIL = ("memory", "recurrent", "influence")
"""What the ancestors view needs besides weights."""

SMALL = ("weights", "beam", "embedding", "final", "influence", "memory", "positions", "recurrent", "shuffle")
"""What a file holds of every sentence by default, together with the block that aligns its words."""


def traces_side_by_side(session: Session, text: str, options: TraceOptions) -> list[dict[str, Any]]:
    """The traces of a sentence through all models of a session; `role` is "own" or "forced"."""
    first, *others = session.models
    if others:
        options = replace(options, detail=tuple(sorted({*options.detail, *DETAIL})))
    own = [session.trace(name, text, options) for name in (first, *others)]
    if options.force is not None:
        return [{**trace, "role": "forced"} for trace in own]
    forcing = replace(options, force=own[0]["output"]["text"], prefix=None)
    forced = [session.trace(name, text, forcing) for name in others]
    return [{**trace, "role": "own"} for trace in own] + [{**trace, "role": "forced"} for trace in forced]


def page_document(
    session: Session,
    sentences: Sequence[str],
    options: TraceOptions | None = None,
    detail: Sequence[str] = (),
    route: str = "#/translate",
) -> dict[str, Any]:
    """Sentences through all models of a session, as the document of a page.

    Without `detail`, a trace holds the small tensors and the block that aligns its words.
    """
    options = options or TraceOptions()
    traces = []
    for sentence in sentences:
        wanted = tuple(detail) or (*SMALL, *_alignment_blocks(session, sentence, options))
        traces += traces_side_by_side(
            session, sentence, replace(options, detail=tuple(dict.fromkeys(("weights", *wanted))))
        )
    return document(traces, models=session.entries(), route=route)


def _alignment_blocks(session: Session, sentence: str, options: TraceOptions) -> list[str]:
    found = [session.trace(name, sentence, options)["alignment"] for name in session.models]
    return [f"block:{alignment['blocks'][-1]}" for alignment in found if alignment]
