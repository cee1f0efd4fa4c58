"""How long the sentences were that a model learned from: text that is longer is cut before it is translated.

Beyond that length every place is one that the model has hardly ever seen, and it loses or repeats words there. A model
trained on everyday sentences, of which one in a thousand has 32 tokens or more, translates news better in pieces of 28
tokens than in whole sentences: 10.0 BLEU against 5.6 (docs/log.md).
"""

from collections.abc import Sequence

import numpy as np

from saccade.data.token_store import TokenStore
from saccade.errors import FormatError, InputError
from saccade.recipes.fine_tuning import FineTuning
from saccade.serving.config_file import read_config
from saccade.serving.model_names import model_folder

SHARE = 0.999
"""Of the sources that are not longer."""
LEAST = 16
"""Tokens; a model of single words may still be given a clause."""


def usual_length(stores: Sequence[TokenStore], tuning: FineTuning | None) -> int | None:
    """In tokens with EOS, of the training sources and of those that the model learned from before; None: not known."""
    lengths = np.concatenate([np.diff(store.source_offsets) for store in stores])
    here = max(int(np.quantile(lengths, SHARE, method="higher")) + 1, LEAST)
    if tuning is None:
        return here
    try:
        before = read_config(model_folder(tuning.model)).usual_length
    except (InputError, FormatError):
        return None  # it is gone, and the run goes on without it
    return None if before is None else max(before, here)
