"""Which id each piece has in an export.

Those of our own models keep theirs: PAD, EOS, UNK, BOS first, and the decoder begins with BOS. A model that was
imported gets the ids of its origin back, where nothing has changed what its decoder begins with: BOS was made from the
row of another piece then, and is left out again.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.data.tokenizer import Tokenizer
from saccade.special_tokens import BOS, EOS, PAD, UNK


@dataclass(frozen=True)
class ExportedIds:
    """For each id of the export the id that the piece has with us, on both sides; and the special ids of the export."""

    source: tuple[int, ...]
    target: tuple[int, ...]
    pad: int = PAD
    eos: int = EOS
    unk: int = UNK
    start: int = BOS


def our_ids(source: Tokenizer, target: Tokenizer) -> ExportedIds:
    """Every piece keeps its id."""
    return ExportedIds(tuple(range(source.size)), tuple(range(target.size)))


def exported_ids(
    source: Tokenizer, target: Tokenizer, embedding: Float[Tensor, "vocabulary width"], start_of_target: str
) -> ExportedIds:
    """The ids of the origin, if there was one; `embedding` is what the decoder reads."""
    if source.vocabulary is None or target.vocabulary is None:
        return our_ids(source, target)
    if (source.vocabulary.pad, source.vocabulary.eos) != (target.vocabulary.pad, target.vocabulary.eos):
        return our_ids(source, target)  # a config has one number for both sides
    if (start := _start(embedding, start_of_target)) is None:
        return our_ids(source, target)
    order = _inverse(target.vocabulary.original_ids)
    places = {ours: theirs for theirs, ours in enumerate(order)}
    special = [places[ours] for ours in (PAD, EOS, UNK, start)]
    return ExportedIds(_inverse(source.vocabulary.original_ids), order, *special)


def _start(embedding: Float[Tensor, "vocabulary width"], start_of_target: str) -> int | None:
    """The piece of the origin whose vector the decoder begins with, if one still has it."""
    if start_of_target == "zero":  # by a rule, whatever training has made of the rows
        return PAD
    alike = (embedding == embedding[BOS]).all(dim=1)
    alike[BOS] = False
    if not bool(alike.any()):
        return None
    return PAD if bool(alike[PAD]) else int(torch.argmax(alike.int()))


def _inverse(original: tuple[int | None, ...]) -> tuple[int, ...]:
    ours = {theirs: ours for ours, theirs in enumerate(original) if theirs is not None}
    return tuple(ours[theirs] for theirs in range(len(ours)))
