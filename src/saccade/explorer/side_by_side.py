"""One sentence through several models, so that a page can show them side by side without asking anybody.

Each model's own translation comes first, in the order the models were given; then what the first model wrote, forced
through the others, so that rows of all pictures stand for the same words. Texts are forced, not tokens: every model
cuts them its own way.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from saccade.explorer.page import document
from saccade.explorer.session import Session
from saccade.tracing.options import TraceOptions

DETAIL = ("memory", "recurrent", "influence")
"""What the view of ancestors draws besides weights."""

SMALL = ("weights", "beam", "embedding", "final", "influence", "memory", "positions", "recurrent", "shuffle")
"""What a file holds of every sentence unless told otherwise; to it comes the block its words are aligned by."""


def together(session: Session, text: str, options: TraceOptions) -> list[dict[str, Any]]:
    """The traces of a sentence through all models of a session; `role` says which are a model's own."""
    first, *others = session.models
    if others:
        options = replace(options, detail=tuple(sorted({*options.detail, *DETAIL})))
    own = [session.trace(name, text, options) for name in (first, *others)]
    if options.force is not None:
        return [{**trace, "role": "forced"} for trace in own]
    said = replace(options, force=own[0]["output"]["text"], prefix=None)
    forced = [session.trace(name, text, said) for name in others]
    return [{**trace, "role": "own"} for trace in own] + [{**trace, "role": "forced"} for trace in forced]


def documented(
    session: Session,
    sentences: Sequence[str],
    options: TraceOptions | None = None,
    detail: Sequence[str] = (),
    route: str = "#/translate",
) -> dict[str, Any]:
    """Sentences through all models of a session as the document of a page.

    Without `detail` a trace holds what is small, and the blocks its words are aligned by.
    """
    options = options or TraceOptions()
    traces = []
    for sentence in sentences:
        wanted = tuple(detail) or (*SMALL, *_aligning(session, sentence, options))
        traces += together(session, sentence, replace(options, detail=tuple(dict.fromkeys(("weights", *wanted)))))
    return document(traces, models=session.entries(), route=route)


def _aligning(session: Session, sentence: str, options: TraceOptions) -> list[str]:
    found = [session.trace(name, sentence, options)["alignment"] for name in session.models]
    return [f"block:{alignment['blocks'][-1]}" for alignment in found if alignment]
