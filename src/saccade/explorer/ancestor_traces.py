"""An older system that has something to say even where one model alone is explored.

`ancestor_traces.json.gz` holds the traces of a small RNNsearch (Bahdanau et al. 2015) from English to Spanish for a few
of the sentences to try, made by `tools/trace_ancestors.py`. The view Ancestors shows them beside a model of the same
languages; the model itself, which learned from Tatoeba for less than an hour on one core, is not in the package.
"""

import gzip
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "ancestor_traces.json.gz"


def ancestor_traces(models: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The traces worth standing beside these models: of a system that is not among them, between the same languages."""
    models = list(models)
    if not any(map(_pair, models)):
        return []
    pairs, known = set(map(_pair, models)), {model.get("architecture") for model in models}
    return [
        trace for trace in _traces() if _pair(trace["model"]) in pairs and trace["model"]["architecture"] not in known
    ]


def _pair(model: Mapping[str, Any]) -> tuple[str, str] | None:
    if model.get("task") != "translation" or not model.get("source_language"):
        return None
    return model["source_language"], model["target_language"]


@cache
def _traces() -> list[dict[str, Any]]:
    traces: list[dict[str, Any]] = json.loads(gzip.decompress(FILE.read_bytes()))
    return traces
