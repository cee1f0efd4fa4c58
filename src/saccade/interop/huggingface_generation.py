"""The search a Hugging Face model is used with: its generation config as our search settings.

generate() divides log P by a power of the length, counts an end only among the best `num_beams` candidates, and stops
when none of what is alive, at its present length, beats the worst of `num_beams` finished outputs; with
`early_stopping` "never", when none would at the longest length; with `early_stopping`, as soon as there are so many.
Our searches do the same by these rules. An output may be `extra_length` tokens longer than its source, as in all our
searches, where theirs have one limit for all.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saccade.decoding.beam import LARGEST_PENALTY, BeamConfig
from saccade.errors import ConfigError, FormatError
from saccade.interop.checkpoint_files import read_object
from saccade.interop.huggingface_m2m100 import MODEL_TYPE

# What generate() does where a config says nothing, and what each other value asks for. Not among them are limits of the
# length, of which ours is another on purpose, and what has an effect on sampling only.
_NOT_KEPT: dict[str, tuple[Any, str]] = {
    "do_sample": (False, "drawing outputs at random"),
    "no_repeat_ngram_size": (0, "never writing the same tokens twice"),
    "encoder_no_repeat_ngram_size": (0, "never copying tokens of the source"),
    "repetition_penalty": (1.0, "a penalty for repeated tokens"),
    "encoder_repetition_penalty": (1.0, "a bonus for tokens of the source"),
    "min_length": (0, "a least length"),
    "min_new_tokens": (None, "a least length"),
    "exponential_decay_length_penalty": (None, "ends that become more probable with the length"),
    "num_beam_groups": (1, "groups of beams"),
    "diversity_penalty": (0.0, "a penalty for similar beams"),
    "num_return_sequences": (1, "several outputs"),
    "penalty_alpha": (None, "contrastive search"),
    "dola_layers": (None, "contrasting the layers"),
    "guidance_scale": (1.0, "guidance by a second prediction"),
    "watermarking_config": (None, "a watermark"),
    "sequence_bias": (None, "a bonus or a penalty for some sequences"),
    "begin_suppress_tokens": (None, "tokens that no output begins with"),
    "force_words_ids": (None, "words that every output has"),
    "forced_decoder_ids": (None, "tokens at fixed places of every output"),
    "stop_strings": (None, "texts that end an output"),
    "max_time": (None, "a limit of time"),
}


def generation_settings(folder: Path, model: Mapping[str, Any]) -> Mapping[str, Any]:
    """What generate() goes by: generation_config.json, even an empty one, and in older folders config.json, `model`."""
    path = folder / "generation_config.json"
    return read_object(path) if os.path.lexists(path) else model


def search_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of our `BeamConfig`."""
    size, alpha = config.get("num_beams") or 1, config.get("length_penalty")
    alpha = 1.0 if alpha is None else alpha
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (size, alpha))
    if not numbers or isinstance(size, float) or not 0 <= alpha <= LARGEST_PENALTY:
        raise FormatError(
            "`num_beams` and `length_penalty` of the generation config must be numbers that a search can have, but are "
            f"{size!r:.20} and {alpha!r:.20}. Correct them there."
        )
    early = config.get("early_stopping")
    stop = "longest-length" if early == "never" else "first-finished" if early is True else "current-length"
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
        if config.get(name) not in (None, usual) and config.get(name) not in ([], {})
    ]
    forbidden = _list(config, "bad_words_ids")
    if any(word != [pad] for word in forbidden):
        lines.append(f"`bad_words_ids` {forbidden!r:.40}: words that are never written, other than padding")
    suppressed = _list(config, "suppress_tokens")
    if any(token not in _never_written(config, pad) for token in suppressed):
        lines.append(f"`suppress_tokens` {suppressed!r:.40}: tokens that are never written, other than padding")
    return tuple(lines)


def left_out_ids(config: Mapping[str, Any], model: Mapping[str, Any]) -> tuple[str, ...]:
    """The special ids that the generation config asks for and our search, which goes by config.json, does not have."""
    lines = []
    for name, what in (
        ("decoder_start_token_id", "another beginning"),
        ("eos_token_id", "other ends"),
        ("pad_token_id", "another padding"),
    ):
        value = config.get(name)
        if value is not None and value not in (model.get(name), [model.get(name)]):
            lines.append(f"`{name}` {value!r:.40}: {what} than config.json has, {model.get(name)!r:.40}")
    first, last = config.get("forced_bos_token_id"), config.get("forced_eos_token_id")
    if first is not None and model.get("model_type") != MODEL_TYPE:  # there it is the language to write
        lines.append(f"`forced_bos_token_id` {first!r:.40}: the token that every output begins with")
    if last is not None and last not in (model.get("eos_token_id"), [model.get("eos_token_id")]):
        lines.append(f"`forced_eos_token_id` {last!r:.40}: the last token of what is cut")
    return tuple(lines)


def renormalises_without(config: Mapping[str, Any], pad: int) -> bool:
    """Whether padding is forbidden and what is left is made to sum to one."""
    forbidden = [pad] in _list(config, "bad_words_ids") or pad in _list(config, "suppress_tokens")
    return forbidden and bool(config.get("renormalize_logits"))


def _never_written(config: Mapping[str, Any], pad: int) -> tuple[Any, ...]:
    """Padding, and what the decoder begins with, which no model learns to write unless it is an end as well."""
    start = config.get("decoder_start_token_id")
    return (pad,) if start == config.get("eos_token_id") else (pad, start)


def _list(config: Mapping[str, Any], name: str) -> list[Any]:
    value = config.get(name)
    return value if isinstance(value, list) else []
