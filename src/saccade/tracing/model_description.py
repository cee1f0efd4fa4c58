"""What a trace says of its model: paper, sizes by their own names and by the paper's letters, parameter counts."""

from dataclasses import asdict
from typing import Any

from torch import nn

from saccade.models.catalogue import Kind, architecture
from saccade.models.contract import Transducer
from saccade.papers import PAPERS
from saccade.tracing.traceable import Traceable
from saccade.weights import parameter_count


def describe(traced: Traceable, model: Transducer[Any, Any], name: str, family: str) -> dict[str, Any]:
    """The model, which may be a changed copy of the traced one."""
    known = architecture(traced.architecture)
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
        "task": traced.task,
        "config": asdict(traced.model_config),
        "letters": _letters(traced.model_config, model, known.task),
        "parameters": parameter_count(model),
        "source_language": traced.source_language,
        "target_language": traced.target_language,
        "source_vocabulary": model.source_vocabulary,
        "target_vocabulary": model.target_vocabulary,
        "step": None,
        "sha256": traced.digest,
    }


def _letters(model_config: Any, model: Transducer[Any, Any], task: Kind) -> dict[str, Any]:
    """Table 3's letters for sizes a config has; None where it has none, or where a folder does not keep the value.

    A language model has no encoder, and a classifier no decoder. The states of a classifier are one number wider than
    its layers.
    """
    config = asdict(model_config)
    heads = config.get("heads")
    width = config["width"] if heads else model.width
    each = width // heads if heads else None
    return {
        "N": None if task == "language-modelling" else config.get("encoder_layers", config.get("layers")),
        "N_decoder": None if task == "classification" else config.get("decoder_layers", config.get("layers")),
        "d_model": width,
        "d_ff": config.get("inner_width"),
        "h": heads,
        "d_k": config.get("key_width") or each,
        "d_v": config.get("value_width") or each,
        "P_drop": config.get("dropout"),
        "eps_ls": None,
        "steps": None,
    }


def parameter_counts(model: nn.Module) -> dict[str, int]:
    """Parameters by the part of the model that holds them; one that several parts share counts for the first."""
    seen: set[int] = set()
    found: dict[str, int] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if id(parameter) not in seen:
            seen.add(id(parameter))
            part = name.partition(".")[0]
            found[part] = found.get(part, 0) + parameter.numel()
    return found


def tied_parameters(model: nn.Module) -> list[list[str]]:
    """The names of each parameter that several parts share (weight tying)."""
    names: dict[int, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names.setdefault(id(parameter), []).append(name)
    return [shared for shared in names.values() if len(shared) > 1]
