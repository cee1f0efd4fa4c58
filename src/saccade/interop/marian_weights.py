"""The tensors of a Transformer under the names that Marian gives them.

    encoder_l1_self_Wq, _bq      queries of the first layer's self-attention; k, v and o likewise
    encoder_l1_self_Wo_ln_scale  the norm after it, and _ln_bias; _ln_scale_pre and _ln_bias_pre of one before it
    encoder_top_ln_scale         the norm on top of a stack whose layers have theirs before them
    decoder_l1_context_Wq        attention to the source
    encoder_l1_ffn_W1, _b1       the feed-forward network, and its norm encoder_l1_ffn_ffn_ln_scale
    Wemb                         the vectors of both vocabularies; encoder_Wemb and decoder_Wemb where they are two
    decoder_ff_logit_out_b       the bias of the output, and _W or _Wt where its matrix is not that of the target

A matrix W is multiplied from the right, x W, so it is the transpose of ours; vectors are matrices of one row.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from saccade.data.vocabulary_tokenizer import Vocabulary
from saccade.errors import FormatError
from saccade.interop.checkpoint_files import Array
from saccade.interop.imported_model import output_bias, with_start
from saccade.models.contract import IMPOSSIBLE
from saccade.special_tokens import PAD

Tie = Literal["all", "embeddings", "target", "none"]
SHARED, SOURCE, TARGET, OUTPUT = "Wemb", "encoder_Wemb", "decoder_Wemb", "decoder_ff_logit_out"
_MATRICES: dict[Tie, dict[str, str]] = {
    "all": {"target_embedding": SHARED},
    "embeddings": {"target_embedding": SHARED, "output": OUTPUT},
    "target": {"source_embedding": SOURCE, "target_embedding": TARGET},
    "none": {"source_embedding": SOURCE, "target_embedding": TARGET, "output": OUTPUT},
}
"""By our `tie`, the name of each matrix of pieces."""
_ATTENTION = {"query": "q", "key": "k", "value": "v", "output": "o"}
_SUBLAYERS = {"self_attention": "self", "cross_attention": "context"}


class MarianWeights:
    """The arrays of a file; what is taken must have its shape, and nothing may be left at the end."""

    def __init__(self, arrays: Mapping[str, Array], where: str) -> None:
        self._left = dict(arrays)
        self._where = where

    def matrix(self, name: str, rows: int, columns: int) -> Tensor:
        """A matrix as it stands in the file."""
        if name not in self._left:
            raise FormatError(f"`{self._where}` must hold {name}, but does not. It is damaged.")
        found = self._left.pop(name)
        if found.shape != (rows, columns) or found.dtype.kind != "f":
            raise FormatError(
                f"`{self._where}`: {name} must be {rows} x {columns} numbers, as its description says, but is "
                f"{' x '.join(map(str, found.shape))} of {found.dtype}."
            )
        with np.errstate(over="ignore"):  # infinite weights are refused when they are saved
            return torch.from_numpy(np.ascontiguousarray(found, dtype=np.float32))

    def vector(self, name: str, size: int) -> Tensor:
        """A matrix of one row as a vector."""
        return self.matrix(name, 1, size)[0]

    def rows_of(self, name: str) -> int:
        """How many rows a matrix has."""
        found = self._left.get(name)
        if found is None or found.ndim != 2:
            raise FormatError(f"`{self._where}` must hold the matrix {name}, but does not. It is damaged.")
        return int(found.shape[0])

    def has(self, name: str) -> bool:
        """Whether there is such an array, not yet taken."""
        return name in self._left

    def refuse_what_is_left(self) -> None:
        """Numbers that nothing reads would be a model of another kind."""
        if self._left:
            raise FormatError(
                f"`{self._where}` must hold the tensors of a Transformer and no others, but {min(self._left)!r:.60} is "
                f"not one of them ({len(self._left)} in all)."
            )


def vocabulary_sizes(theirs: MarianWeights, tie: Tie) -> tuple[int, int]:
    """The rows of the source and of the target matrix."""
    matrices = _MATRICES[tie]
    target = matrices["target_embedding"]
    return theirs.rows_of(matrices.get("source_embedding", target)), theirs.rows_of(target)


def our_weights(theirs: MarianWeights, config: Any, vocabularies: tuple[Vocabulary, Vocabulary]) -> dict[str, Tensor]:
    """Every tensor of ours by name, rows in the order of our ids."""
    weights = dict(_layers(theirs, config))
    for name, called in _MATRICES[config.tie].items():
        vocabulary = vocabularies[name != "source_embedding"]
        rows = len(vocabulary.pieces) - 2  # neither padding nor BOS is in the file
        matrix = _output(theirs, rows, config.width) if name == "output" else theirs.matrix(called, rows, config.width)
        # The vectors of PAD and BOS are zero, as Marian's decoder begins with a vector of zeros.
        weights[f"{name}.weight"] = with_start(_with_zero_row(matrix), vocabulary, vocabulary.pad)
    target = vocabularies[1]
    rows, bias = len(target.pieces) - 2, f"{OUTPUT}_b"
    found = theirs.matrix(bias, 1, rows) if theirs.has(bias) else torch.zeros(1, rows)
    weights["output_bias"] = output_bias(_with_zero_row(found.T)[:, 0], target)
    weights["output_bias"][PAD] = IMPOSSIBLE
    theirs.refuse_what_is_left()
    return weights


def _layers(theirs: MarianWeights, config: Any) -> Iterator[tuple[str, Tensor]]:
    width, inner = config.width, config.inner_width
    before = "_pre" if config.norm == "pre" else ""
    for side, depth in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        for number in range(depth):
            ours, prefix = f"{side}.layers.{number}", f"{side}_l{number + 1}"
            for sublayer, called in _SUBLAYERS.items():
                if sublayer == "cross_attention" and side == "encoder":
                    continue
                for part, letter in _ATTENTION.items():
                    matrix = theirs.matrix(f"{prefix}_{called}_W{letter}", width, width)
                    yield f"{ours}.{sublayer}.{part}.weight", matrix.T.contiguous()
                    yield f"{ours}.{sublayer}.{part}.bias", theirs.vector(f"{prefix}_{called}_b{letter}", width)
                yield from _norm(theirs, f"{ours}.around_{sublayer}.norm", f"{prefix}_{called}_Wo", width, before)
            for part, letter, sizes in (("inner", "1", (width, inner)), ("outer", "2", (inner, width))):
                matrix = theirs.matrix(f"{prefix}_ffn_W{letter}", *sizes)
                yield f"{ours}.feedforward.{part}.weight", matrix.T.contiguous()
                yield f"{ours}.feedforward.{part}.bias", theirs.vector(f"{prefix}_ffn_b{letter}", sizes[1])
            yield from _norm(theirs, f"{ours}.around_feedforward.norm", f"{prefix}_ffn_ffn", width, before)
        if before:
            yield from _norm(theirs, f"{side}.end", f"{side}_top", width)


def _norm(theirs: MarianWeights, ours: str, prefix: str, width: int, suffix: str = "") -> Iterator[tuple[str, Tensor]]:
    yield f"{ours}.weight", theirs.vector(f"{prefix}_ln_scale{suffix}", width)
    yield f"{ours}.bias", theirs.vector(f"{prefix}_ln_bias{suffix}", width)


def _output(theirs: MarianWeights, rows: int, width: int) -> Tensor:
    """The matrix of the output where it is one of its own; newer versions of Marian store it transposed."""
    if theirs.has(f"{OUTPUT}_Wt"):
        return theirs.matrix(f"{OUTPUT}_Wt", rows, width)
    return theirs.matrix(f"{OUTPUT}_W", width, rows).T


def _with_zero_row(matrix: Tensor) -> Tensor:
    return torch.cat([matrix, matrix.new_zeros(1, matrix.shape[1])])
