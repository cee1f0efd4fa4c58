"""The shape of the document `explore-trace/1`: the authority, from which schema.json is made.

A reader ignores keys it does not know, so a new optional key does not need a new version; any other change does.
Positions are counted from zero everywhere. None stands for what this model does not have. The class `TraceBeam` is the
definition `Beam` in schema.json, and so on.
"""

import json
import re
from pathlib import Path
from typing import Any, Literal, NotRequired

from pydantic import TypeAdapter
from typing_extensions import TypedDict

SCHEMA = "explore-trace/1"
PATH = Path(__file__).parent / "schema.json"

AxisName = Literal["source", "reads"]
Role = dict[str, str]
"""From the role of a tensor to its name in `tensors`; a name that is not there was not asked for."""


class TraceTool(TypedDict):
    """What made the document."""

    name: str
    version: str
    torch: str
    device: str
    dtype: str


class TraceModel(TypedDict):
    """What was traced; `config` has the fields of the system's own configuration, `letters` those of Table 3."""

    id: str
    name: str
    architecture: str
    year: int
    paper: str
    title: str
    summary: str
    family: Literal["attention", "recurrent", "convolution", "other"]
    task: str
    config: dict[str, Any]
    letters: dict[str, float | None]
    parameters: int
    source_language: str | None
    target_language: str | None
    source_vocabulary: int
    target_vocabulary: int
    step: int | None
    sha256: str | None


class TraceToken(TypedDict):
    """A piece: `text` is without the mark of a space, `span` in characters of `source_text`, `word` its word."""

    i: int
    id: int
    piece: str
    text: str
    word: int
    special: Literal["pad", "eos", "unk", "bos", "language"] | None
    span: NotRequired[list[int]]


class TraceWord(TypedDict):
    """A word as a person reads it, and the positions of its pieces."""

    text: str
    pieces: list[int]
    special: Literal["pad", "eos", "unk", "bos", "language"] | None


class TraceAxis(TypedDict):
    """What stands along one side of a matrix."""

    tokens: list[TraceToken]
    words: list[TraceWord]


class TraceAxes(TypedDict):
    """`reads` is BOS and then the target without its last token."""

    source: TraceAxis
    target: TraceAxis
    reads: TraceAxis


class TraceOutput(TypedDict):
    """What was written; `score` is what the search ranked by, None for a target that was given.

    The first `unscored` tokens, the name of a language, were given too, and `logprob` leaves them out.
    """

    text: str
    mode: Literal["beam", "forced"]
    logprob: float
    score: float | None
    finished: bool
    unscored: NotRequired[int]


class TraceCandidate(TypedDict):
    """A token the model considered."""

    id: int
    piece: str
    text: str
    logit: float
    p: float


class TraceStep(TypedDict):
    """Reads `reads[t]`, predicts `target[t]`; p = exp(logit - log_normaliser), rank counts from one."""

    t: int
    reads: int
    predicts: int
    logprob: float
    logit: float
    entropy: float
    rank: int
    log_normaliser: float
    top: list[TraceCandidate]


class TraceStatistics(TypedDict):
    """One number for each head; head_statistics.py says which."""

    entropy: list[float]
    distance: list[float]
    special: list[float]
    diagonal: list[float]


class TraceWindow(TypedDict):
    """Each query sees only keys at most `reach` from its centre."""

    centre: list[float]
    reach: int


class TraceBlock(TypedDict):
    """An attention: queries along one axis, keys along another.

    Tensors: weights [head, query, key], mask [query, key] with 1 where a key may be seen; q, k, v [head, token, d];
    scores [head, query, key] before scaling and masking; head_out [head, query, d], concat [query, heads], out, and
    resid_in, resid_sum, norm_out [query, width]; parameters w_q, w_k, w_v [width, heads], w_o [heads, width] and, where
    there are, b_q, b_k, b_v, b_o; norm_gain, norm_shift [width]. `norm` is "post" where the sum is normalised, and
    "pre" where what the sub-layer reads is. Heads that are `off` put out zeros, whatever their weights.

    Scores with parameters of their own show what is inside them: q_hidden [head, query, hidden], k_hidden [head, key,
    hidden] and a vector [hidden], where score = vector . tanh(q_hidden + k_hidden); without a vector it is their
    product. A tape has a slot before its first position: blank and blank_scores [head, query] belong to that, and
    make rows of weights sum to one.
    """

    id: str
    stack: Literal["encoder", "decoder"]
    layer: int
    kind: Literal["self", "cross"]
    score: str
    alignment: str
    query_axis: AxisName
    key_axis: AxisName
    heads: int
    scale: float
    causal: bool
    sums_to_one: bool
    off: list[int]
    window: TraceWindow | None
    norm: Literal["pre", "post"] | None
    epsilon: float | None
    tensors: Role
    stats: TraceStatistics


class TraceLayer(TypedDict):
    """A feed-forward network: tensors in, out, resid_in, resid_sum, norm_out [query, width], hidden [query, inner]."""

    id: str
    stack: Literal["encoder", "decoder"]
    layer: int
    kind: Literal["ffn"]
    axis: AxisName
    activation: NotRequired[Literal["relu", "silu", "gelu", "quick_gelu"]]
    norm: Literal["pre", "post"] | None
    epsilon: float | None
    tensors: Role


class TraceEmbedding(TypedDict):
    """What the first layer reads: token (scaled already) + position = sum, all [token, width]."""

    scale: float
    kind: str | None
    tensors: Role


class TraceEmbeddings(TypedDict):
    """Of both sides; None where a model tells of none."""

    source: TraceEmbedding | None
    target: TraceEmbedding | None


class TraceFinal(TypedDict):
    """States [reads, width], and the output rows [reads, top, width] whose products with them are the top logits.

    To the products a bias [reads, top] is added where the model has one.
    """

    tensors: Role


class TraceBestHead(TypedDict):
    """The single head whose weights correlate most with what leaving out a source word costs."""

    block: str
    head: int
    agreement: float


class TraceAlignment(TypedDict):
    """The blocks whose mean the model calls its alignment, and that mean [reads, source] as a tensor."""

    blocks: list[str]
    tensor: str
    best: TraceBestHead | None


class TraceMemory(TypedDict):
    """What the decoder gets (encoder_output.py): states [place, width], or a few vectors [part, width]."""

    kind: Literal["list", "vector", "none"]
    numbers: int
    stays: bool | None
    tensors: Role


class TraceRecurrence(TypedDict):
    """States [position, width] and gates [gate, position, width] of a recurrence, in the order in which it read.

    `order` has the places of the axis in that order; None is from left to right.
    """

    id: str
    stack: Literal["encoder", "decoder"]
    layer: int
    axis: AxisName
    order: list[int] | None
    gates: list[str]
    tensors: Role


class TraceRecurrent(TypedDict):
    """All recurrences, and by stack the name of the first one's states."""

    layers: list[TraceRecurrence]
    tensors: Role


class TraceConvolution(TypedDict):
    """How many positions a convolution sees, and how many of them before the present one."""

    kernel: int
    before: int


class TraceConvolutions(TypedDict):
    """Layer by layer in each stack; `kernel` and `layers` are those of the first."""

    kernel: list[int]
    layers: int
    stacks: dict[str, list[TraceConvolution]]


class TraceInfluence(TypedDict):
    """How much each source token mattered for each token written, [reads, source]: influence.py says how it is asked.

    Tensors: gradient, a length; occlusion, the log-probability lost with a word, divided among the word's pieces.
    """

    tensors: Role


class TraceShuffle(TypedDict):
    """The largest difference between encoder states of words and of shuffled words, sorted back."""

    order: list[int]
    with_positions: float | None
    without_positions: float | None


class TraceNode(TypedDict):
    """A token the search considered: cum = cum of the parent + logp, score = cum / lp(t).

    `t` is how many tokens are written with it, `rank` its place among all candidates of its step, and `place` its row
    in the beam if it was kept; both count from zero.
    """

    n: int
    t: int
    parent: int | None
    id: int
    piece: str
    text: str
    logp: float
    cum: float
    score: float
    rank: int
    place: int | None
    state: Literal["root", "kept", "pruned", "finished"]


class TraceHypothesis(TypedDict):
    """What a search may end with: score = cum / lp, and lp = ((5 + length) / 6) ** alpha."""

    node: int
    length: int
    cum: float
    lp: float
    score: float
    text: str
    finished: bool


class TraceBeam(TypedDict):
    """A search: `hypotheses` best first by score, `best` the place of the one that was chosen.

    That is the first, unless `coverage` is charged as well.
    """

    k: int
    alpha: float
    coverage: float
    penalty: Literal["gnmt", "power"]
    limit: int
    pruned_per_step: int
    nodes: list[TraceNode]
    hypotheses: list[TraceHypothesis]
    best: int


class TraceTensor(TypedDict):
    """Little endian, C order; `href` in place of `data` where it must be fetched."""

    dtype: Literal["f32", "f16", "u8"]
    shape: list[int]
    dims: list[str]
    data: NotRequired[str]
    href: NotRequired[str]


class TraceCheck(TypedDict):
    """Something that must hold, and how far it does; invariants.py says which."""

    name: str
    error: float
    limit: float
    holds: bool


class TraceBracket(TypedDict):
    """A bracket of a tree: the steps that opened and closed it, and its words from `start` up to before `end`."""

    label: str
    open: int
    close: int
    start: int
    end: int


class TraceLeaf(TypedDict):
    """What stands above a word in a tree, and the step that wrote it."""

    tag: str
    step: int


class TraceTree(TypedDict):
    """The tree that a parser wrote over the words of its source; brackets in the order in which they open."""

    words: list[str]
    brackets: list[TraceBracket]
    leaves: list[TraceLeaf]


class Trace(TypedDict):
    """One sentence through one model."""

    schema: Literal["explore-trace/1"]
    id: str
    tool: TraceTool
    model: TraceModel
    options: dict[str, Any]
    source_text: str
    unknown: list[str]
    axes: TraceAxes
    output: TraceOutput
    tree: NotRequired[TraceTree | None]
    steps: list[TraceStep]
    blocks: list[TraceBlock]
    layers: list[TraceLayer]
    embedding: TraceEmbeddings
    final: TraceFinal
    alignment: TraceAlignment | None
    memory: TraceMemory
    recurrent: TraceRecurrent | None
    conv: TraceConvolutions | None
    beam: TraceBeam | None
    influence: TraceInfluence | None
    shuffle: TraceShuffle | None
    positions_table: str | None
    counts: dict[str, int]
    tied: list[list[str]]
    what_if: dict[str, Any] | None
    base_id: str | None
    role: NotRequired[Literal["own", "forced", "what-if", "compare"]]
    tensors: dict[str, TraceTensor]
    checks: list[TraceCheck]
    seconds: NotRequired[float]
    remarks: NotRequired[list[str]]


_ADAPTER = TypeAdapter(Trace)


def schema() -> dict[str, Any]:
    """The JSON Schema of a trace; its definitions have the names of the classes without the prefix `Trace`."""
    made = re.sub(r'"(#/\$defs/)?Trace(?=[A-Z])', r'"\1', json.dumps(_ADAPTER.json_schema(), ensure_ascii=False))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **json.loads(made)}


def known(document: dict[str, Any]) -> dict[str, Any]:
    """What a trace of this version holds; keys that it does not know are left out."""
    return dict(_ADAPTER.validate_python(document))
