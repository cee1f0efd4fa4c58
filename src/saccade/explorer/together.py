"""One sentence through several models, so that a page can show them side by side without asking anybody.

Each model's own translation comes first, in the order the models were given; then what the first model wrote, forced
through the others, so that rows of all pictures stand for the same words. Texts are forced, not tokens: every model
cuts them its own way.
"""

from dataclasses import replace
from typing import Any

from saccade.explorer.session import Session
from saccade.explorer.trace import Options

DETAIL = ("memory", "recurrent", "influence")
"""What the view of ancestors draws besides weights."""


def together(session: Session, text: str, options: Options) -> list[dict[str, Any]]:
    """The traces of a sentence through all models of a session; `role` says which are a model's own."""
    first, *others = session.models
    if others:
        options = replace(options, detail=tuple(sorted({*options.detail, *DETAIL})))
    own = [session.trace(name, text, options) for name in (first, *others)]
    said = replace(options, force=own[0]["output"]["text"])
    forced = [session.trace(name, text, said) for name in others]
    return [{**trace, "role": "own"} for trace in own] + [{**trace, "role": "forced"} for trace in forced]
