"""The search a Hugging Face model is used with: its generation config as our search settings.

generate() divides log P by a power of the length, counts an end only among the best `num_beams` candidates, and stops
when none of what is alive, at its present length, beats the worst of `num_beams` finished outputs, or with
`early_stopping` as soon as there are so many. Our searches do the same by these rules. An output may be `extra_length`
tokens longer than its source, as in all our searches, where theirs have one limit for all.
"""

from collections.abc import Mapping
from typing import Any

from saccade.decoding.beam import LARGEST_PENALTY, BeamConfig
from saccade.errors import ConfigError, FormatError

# What generate() does where a config says nothing, and what each other value asks for.
_NOT_KEPT: dict[str, tuple[Any, str]] = {
    "do_sample": (False, "drawing outputs at random"),
    "no_repeat_ngram_size": (0, "never writing the same tokens twice"),
    "encoder_no_repeat_ngram_size": (0, "never copying tokens of the source"),
    "repetition_penalty": (1.0, "a penalty for repeated tokens"),
    "min_length": (0, "a least length"),
    "min_new_tokens": (None, "a least length"),
    "num_beam_groups": (1, "groups of beams"),
    "diversity_penalty": (0.0, "a penalty for similar beams"),
    "temperature": (1.0, "another temperature"),
    "suppress_tokens": (None, "tokens that are never written"),
    "begin_suppress_tokens": (None, "tokens that no output begins with"),
}


def search_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of our `BeamConfig`."""
    size, alpha = config.get("num_beams") or 1, config.get("length_penalty")
    alpha = 1.0 if alpha is None else alpha
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (size, alpha))
    if not numbers or isinstance(size, float) or not abs(alpha) <= LARGEST_PENALTY:
        raise FormatError(
            "`num_beams` and `length_penalty` of the generation config must be numbers that a search can have, but are "
            f"{size!r:.20} and {alpha!r:.20}. Correct them there."
        )
    early = config.get("early_stopping")
    stop = "returned" if early == "never" else "first-finished" if early is True else "current-length"
    settings: dict[str, Any] = {
        "size": size,
        "alpha": float(alpha),
        "length_rule": "power",
        "stop": stop,
        "ends": "beam",
    }
    try:
        BeamConfig(**settings)
    except ConfigError as problem:
        raise FormatError(f"in the generation config, {problem}") from problem
    return settings


def left_out(config: Mapping[str, Any], pad: int) -> tuple[str, ...]:
    """What the config asks for and our search does not do, a line each."""
    lines = [
        f"`{name}` {config[name]!r:.40}: {what}"
        for name, (usual, what) in _NOT_KEPT.items()
        if config.get(name) not in (None, usual) and config.get(name) != []
    ]
    forbidden = _forbidden(config)
    if any(word != [pad] for word in forbidden):
        lines.append(f"`bad_words_ids` {forbidden!r:.40}: words that are never written, other than padding")
    return tuple(lines)


def renormalises_without(config: Mapping[str, Any], pad: int) -> bool:
    """Whether padding is forbidden and what is left is made to sum to one."""
    return bool(config.get("renormalize_logits")) and [pad] in _forbidden(config)


def _forbidden(config: Mapping[str, Any]) -> list[Any]:
    words = config.get("bad_words_ids")
    return words if isinstance(words, list) else []
