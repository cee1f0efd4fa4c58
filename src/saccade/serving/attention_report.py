"""What the attention of a model is worth: how well it aligns, layer by layer, and whether the outputs depend on it.

Systems attend in one layer or in many, with one head or several, so an alignment can be read in many ways. The same
ways are measured for each of them: every single head, every layer with its heads averaged, and the mean of all layers.
Where one head or layer is to stand for a system, it is chosen on other sentences than those it is reported on
(`best_head`, `best_layer`). Where a layer has one head, the two are the same.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.counted import counted
from saccade.errors import ConfigError, InputError
from saccade.evaluation.alignment_error import AlignmentError, Link, alignment_error
from saccade.evaluation.attention_correctness import AttentionCorrectness, attention_correctness
from saccade.evaluation.faithfulness import Faithfulness, faithfulness
from saccade.sequences import Pairs, Sequences
from saccade.serving.translator import Translator
from saccade.serving.word_alignment import TOGETHER, Aligner
from saccade.special_tokens import EOS

ALL_LAYERS = "mean of all layers"
_HEAD = ", head "


@dataclass(frozen=True)
class AlignmentReading:
    """How well a model aligns if it is read in this way."""

    reading: str
    """A layer, counted from 1 among those that attend to the source, or all of them, or a head of a layer."""
    alignment_error: AlignmentError
    correctness: AttentionCorrectness


@dataclass(frozen=True)
class AttentionReport:
    """Readings against right alignments, where these were given, and the test of faithfulness."""

    readings: tuple[AlignmentReading, ...]
    faithfulness: Faithfulness

    def to_data(self) -> dict[str, Any]:
        """The report as dictionaries, lists, strings and numbers."""
        return asdict(self)

    def to_json(self) -> str:
        """The report as one JSON object."""
        return json.dumps(self.to_data(), ensure_ascii=False, indent=2, allow_nan=False)

    def to_text(self) -> str:
        """The report as text."""
        lines = []
        if self.readings:
            lines.append(f"{'read from':22}{'AER':>7}{'precision':>11}{'recall':>8}{'weight on right words':>23}")
            for one in self.readings:
                error, correct = one.alignment_error, one.correctness
                lines.append(
                    f"{one.reading:22}{error.error_rate:7.3f}{error.precision:11.3f}{error.recall:8.3f}"
                    f"{correct.correctness:23.3f}"
                )
            even = self.readings[0].correctness
            lines += [f"Even weights would put {even.even:.3f} on the right words ({even.words} target words).", ""]
        found = self.faithfulness
        lines.append(f"{'attention without':38}{'outputs change by':>18}{'nats lost a token':>19}")
        for name, change in (
            (f"the {found.dropped} most-weighted of each query", found.most),
            (f"{found.dropped} at random", found.random),
            ("its order: weights permuted", found.permuted),
        ):
            lines.append(f"{name:38}{change.change:18.3f}{change.loss:19.3f}")
        lines.append(f"{counted(found.sentences, 'sentence')}, {counted(found.tokens, 'target token')}.")
        return "\n".join(lines)


def measure_attention(
    translator: Translator,
    pairs: Sequence[tuple[str, str]],
    gold: Sequence[Collection[Link]] | None,
    dropped: int,
    seed: int = 1,
) -> AttentionReport:
    """Makes the model write the given targets, and looks at its attention."""
    if not translator.model.source_attentions:
        raise ConfigError("the model must attend to its source, but does not. Name one that does: `saccade models`.")
    if not pairs:
        raise InputError("pairs must be given, but there are none. Give files with at least one line.")
    batches = _batches(translator, pairs)
    readings = () if gold is None else tuple(alignment_readings(translator, pairs, gold))
    generator = torch.Generator().manual_seed(seed)
    tested = faithfulness(translator.model, batches, dropped, generator)
    return AttentionReport(readings, tested)


def alignment_readings(
    translator: Translator, pairs: Sequence[tuple[str, str]], gold: Sequence[Collection[Link]]
) -> list[AlignmentReading]:
    """Every layer that attends to the source, the mean of all where there are several, and their heads likewise."""
    aligner = Aligner(translator.model, translator.source_tokenizer, translator.target_tokenizer, translator.device)
    found = []
    for reading, aligned in aligner.align_in_ways(pairs, translator.model.source_attentions, ways_to_read).items():
        error = alignment_error([one.links for one in aligned], gold)
        found.append(AlignmentReading(reading, error, attention_correctness([one.weights for one in aligned], gold)))
    return found


def ways_to_read(
    heads: Mapping[str, Float[Tensor, "batch heads target source"]],
) -> dict[str, Float[Tensor, "batch target source"]]:
    """Layers first, then all together, then the heads of layers that have more than one."""
    layers = {f"layer {number}": weights for number, weights in enumerate(heads.values(), start=1)}
    ways = {name: weights.mean(dim=1) for name, weights in layers.items()}
    if len(layers) > 1:
        ways[ALL_LAYERS] = torch.stack(list(ways.values())).mean(dim=0)
    for name, weights in layers.items():
        if weights.shape[1] > 1:
            ways |= {f"{name}{_HEAD}{number}": one for number, one in enumerate(weights.unbind(dim=1), start=1)}
    return ways


def best_layer(readings: Sequence[AlignmentReading]) -> str:
    """The single layer of lowest alignment error."""
    return _lowest([one for one in readings if one.reading != ALL_LAYERS and _HEAD not in one.reading])


def best_head(readings: Sequence[AlignmentReading]) -> str:
    """The single head of lowest alignment error; the only head of a layer is the layer."""
    divided = {one.reading.split(_HEAD)[0] for one in readings if _HEAD in one.reading}
    return _lowest([one for one in readings if one.reading not in {ALL_LAYERS, *divided}])


def _lowest(readings: Sequence[AlignmentReading]) -> str:
    return min(readings, key=lambda one: one.alignment_error.error_rate).reading


def _batches(translator: Translator, pairs: Sequence[tuple[str, str]]) -> list[Pairs]:
    sources = translator.source_tokenizer.encode([source for source, _ in pairs])
    targets = translator.target_tokenizer.encode([target for _, target in pairs])
    most = translator.model.maximum_length
    for number, sides in enumerate(zip(sources, targets, strict=True), start=1):
        if max(map(len, sides)) >= most:
            raise InputError(
                f"a line must have fewer than {most} pieces for this model, but line {number} has "
                f"{max(map(len, sides))}. Leave it out, or split it into sentences."
            )
    batches = []
    for start in range(0, len(pairs), TOGETHER):
        source, target = (
            Sequences.of([[*tokens, EOS] for tokens in side[start : start + TOGETHER]], device=translator.device)
            for side in (sources, targets)
        )
        batches.append(Pairs(source, target))
    return batches
