"""What a trace says of its model: where it comes from, its sizes by their own names and by the paper's letters."""

from dataclasses import asdict
from typing import Any

from torch import nn

from saccade.models.catalogue import architecture
from saccade.papers import PAPERS
from saccade.serving.bundle import Bundle


def describe(bundle: Bundle, name: str, family: str) -> dict[str, Any]:
    """The model as a reader of its trace must know it."""
    known = architecture(bundle.architecture)
    paper = PAPERS[known.paper]
    return {
        "id": name,
        "name": name,
        "architecture": known.name,
        "year": paper.year,
        "paper": str(paper),
        "title": paper.title,
        "summary": known.summary,
        "family": family,
        "task": bundle.task,
        "config": asdict(bundle.model_config),
        "letters": _letters(bundle),
        "parameters": sum(parameter.numel() for parameter in bundle.model.parameters()),
        "source_language": bundle.source_language,
        "target_language": bundle.target_language,
        "source_vocabulary": bundle.model.source_vocabulary,
        "target_vocabulary": bundle.model.target_vocabulary,
        "step": None,
        "sha256": bundle.digest,
    }


def _letters(bundle: Bundle) -> dict[str, Any]:
    """Table 3's letters for sizes a config has; None where it has none, or where a folder does not keep the value."""
    config = asdict(bundle.model_config)
    heads = config.get("heads")
    each = bundle.model.width // heads if heads else None
    return {
        "N": config.get("encoder_layers", config.get("layers")),
        "N_decoder": config.get("decoder_layers", config.get("layers")),
        "d_model": bundle.model.width,
        "d_ff": config.get("inner_width"),
        "h": heads,
        "d_k": config.get("key_width") or each,
        "d_v": config.get("value_width") or each,
        "P_drop": config.get("dropout"),
        "eps_ls": None,
        "steps": None,
    }


def counts(model: nn.Module) -> dict[str, int]:
    """Parameters by the part of the model that holds them; one that several parts share counts for the first."""
    seen: set[int] = set()
    found: dict[str, int] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if id(parameter) not in seen:
            seen.add(id(parameter))
            part = name.partition(".")[0]
            found[part] = found.get(part, 0) + parameter.numel()
    return found


def tied(model: nn.Module) -> list[list[str]]:
    """The names of each parameter that has several."""
    names: dict[int, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names.setdefault(id(parameter), []).append(name)
    return [shared for shared in names.values() if len(shared) > 1]
