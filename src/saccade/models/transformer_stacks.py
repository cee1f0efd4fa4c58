"""What every Transformer is built from: sizes, and stacks of self-attention layers (Vaswani et al. 2017, section 3.1).

    self-attention layer   self-attention, feed-forward

Each sub-layer is wrapped in a residual connection with layer norm. A stack of such layers is the paper's encoder. With
a causal rule the same stack is its decoder without a source, and so a language model; then each position can hand on
what it has written, the keys and values of every layer.
"""

from dataclasses import dataclass
from typing import Literal, cast

from jaxtyping import Float
from torch import Tensor, nn

from saccade.attention.head_scores import HeadScores
from saccade.attention.masks import Visibility
from saccade.attention.multihead import KeysValues, MultiHeadAttention
from saccade.attention.scores import Score, ScoreName, score
from saccade.errors import ConfigError
from saccade.layers.embedding import Embedding
from saccade.layers.feedforward import ActivationName, FeedForward
from saccade.layers.position import (
    FixedPositions,
    LearnedPositions,
    halved_sinusoids,
    sinusoids,
    tensor2tensor_sinusoids,
)
from saccade.layers.residual import EPSILON, RESIDUAL_CONNECTIONS, ResidualConnection, ResidualName, ResidualStream
from saccade.models.checks import at_least_one, at_least_zero, dropout_rates, more_than_zero


@dataclass(frozen=True, kw_only=True)
class StackConfig:
    """The letters of Table 3 that every stack has, in words: d_model, d_ff, h, d_k, d_v, P_drop."""

    width: int = 512
    inner_width: int = 2048
    heads: int = 8
    key_width: int | None = None
    """None: width / heads, as the paper has it in every row but B."""
    value_width: int | None = None
    dropout: float = 0.1
    attention_dropout: float = 0.0
    """On the attention weights; tensor2tensor's later presets and the parsing models use 0.1 and more."""
    inner_dropout: float = 0.0
    """After the ReLU; tensor2tensor's later presets use 0.1."""
    activation: ActivationName = "relu"
    """Between the two maps of the feed-forward network; models trained with Marian mostly have "silu" (swish)."""
    norm: ResidualName = "post"
    """"pre" is tensor2tensor since October 2017; "residual" has no norm, and "plain" no residual connection either."""
    norm_epsilon: float = EPSILON
    """What is added to the variance; Hugging Face's models have 1e-5, Marian itself has 1e-6."""
    positions: Literal["sinusoidal", "learned", "tensor2tensor", "halves"] = "sinusoidal"
    """"learned" is Table 3's row E; "tensor2tensor" puts all sines before all cosines, with wavelengths of its own, and
    "halves" the paper's waves in that order, as Hugging Face's Marian and Pegasus do."""
    position_offset: int = 0
    """The row of the position table that the first token is given: 2 in fairseq's models, as M2M100 is."""
    scale_embedding: bool = True
    """Whether the vectors of tokens are multiplied by the root of the width (section 3.4)."""
    score: ScoreName = "scaled-dot"
    """How a query is compared with a key. All but the paper's own take the explicit path, which is slower, and each
    head has parameters of its own for them."""
    attention_window: int | None = None
    """Restricted self-attention (section 4): how far a position sees to each side. None: everywhere."""
    attention_bias: bool = False
    """Biases on the four projections: none in the equations, present in the first published code."""
    initialisation: Literal["joint_xavier", "xavier", "tensor2tensor"] = "joint_xavier"
    """How matrices are drawn; the paper does not say. "xavier": uniform with variance 2 / (fan_in + fan_out), each
    matrix for itself. "joint_xavier": queries, keys and values as the one matrix they can be computed with, so with
    half that variance; six layers with the norm after them hardly learned otherwise. "tensor2tensor": 1 / fan_in."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "width", "inner_width", "heads", "key_width", "value_width", "maximum_length")
        at_least_zero(self, "attention_window", "position_offset")
        dropout_rates(self, "dropout", "attention_dropout", "inner_dropout")
        more_than_zero(self, "norm_epsilon")
        if (self.key_width is None or self.value_width is None) and self.width % self.heads:
            raise ConfigError(
                f"`width` must be a multiple of `heads`, but is {self.width} with {self.heads} heads. "
                "Change one, or give `key_width` and `value_width`."
            )

    @property
    def packs(self) -> bool:
        """Whether sentences can share a row: only the kernels of the scaled dot product keep them apart."""
        return self.attention_window is None and self.score == "scaled-dot"

    def attention(self) -> MultiHeadAttention:
        """One multi-head attention of this model."""
        each = self.width // self.heads
        key_width = self.key_width or each
        return MultiHeadAttention(
            self.width,
            self.heads,
            key_width,
            self.value_width or each,
            self.attention_dropout,
            self.attention_bias,
            self._head_scores(key_width),
        )

    def feedforward(self) -> FeedForward:
        """One feed-forward network of this model."""
        return FeedForward(self.width, self.inner_width, self.inner_dropout, self.activation)

    def embedding(self, vocabulary: int) -> Embedding:
        """One table of token vectors of this model."""
        return Embedding(vocabulary, self.width, scaled=self.scale_embedding)

    def position_table(self) -> FixedPositions | LearnedPositions:
        """The position vectors of one side of this model."""
        if self.positions == "learned":
            return LearnedPositions(self.maximum_length, self.width)
        waves = _WAVES[self.positions](self.maximum_length + self.position_offset, self.width)
        kind = f"{self.positions}+{self.position_offset}" if self.position_offset else self.positions
        return FixedPositions(waves[self.position_offset :], kind)

    def residual(self) -> ResidualConnection:
        """One residual connection of this model."""
        return RESIDUAL_CONNECTIONS[self.norm](self.width, self.dropout, self.norm_epsilon)

    def end(self) -> nn.Module:
        """What stands on top of a stack of this model."""
        return RESIDUAL_CONNECTIONS[self.norm].end(self.width, self.norm_epsilon)

    def _head_scores(self, key_width: int) -> HeadScores | None:
        if self.score == "scaled-dot":
            return None
        makes = (self.score, key_width, key_width, key_width, self.maximum_length)
        return HeadScores([score(*makes) for _ in range(self.heads)])


_WAVES = {"sinusoidal": sinusoids, "tensor2tensor": tensor2tensor_sinusoids, "halves": halved_sinusoids}


def look_back(
    attention: MultiHeadAttention,
    around: ResidualConnection,
    stream: ResidualStream,
    written: KeysValues,
    visibility: Visibility,
) -> tuple[ResidualStream, KeysValues]:
    """Self-attention of new positions to what was written before and to each other, and all that is written then."""

    def sublayer(x: Tensor) -> Tensor:
        nonlocal written
        queries, new = attention.project(x)
        written = written.append(new)
        return attention.mix(queries, written, visibility)

    return around(stream, sublayer), written


class SelfAttentionLayer(nn.Module):
    """Self-attention, then feed-forward."""

    def __init__(self, config: StackConfig) -> None:
        super().__init__()
        self.self_attention = config.attention()
        self.feedforward = config.feedforward()
        self.around_self_attention = config.residual()
        self.around_feedforward = config.residual()

    def forward(self, stream: ResidualStream, visibility: Visibility) -> ResidualStream:
        """The states after each has attended to all that it may see."""
        attention = self.self_attention
        stream = self.around_self_attention(stream, lambda x: attention.mix(*attention.project(x), visibility))
        return self.around_feedforward(stream, self.feedforward)

    def step(
        self, stream: ResidualStream, written: KeysValues, visibility: Visibility
    ) -> tuple[ResidualStream, KeysValues]:
        """The states of new positions, and everything written up to and including them."""
        stream, written = look_back(self.self_attention, self.around_self_attention, stream, written, visibility)
        return self.around_feedforward(stream, self.feedforward), written


class SelfAttentionStack(nn.Module):
    """A stack of self-attention layers: an encoder, or with a causal rule a decoder that has no source."""

    def __init__(self, config: StackConfig, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(SelfAttentionLayer(config) for _ in range(layers))
        self.end = config.end()

    def forward(
        self, states: Float[Tensor, "batch length width"], visibility: Visibility
    ) -> Float[Tensor, "batch length width"]:
        """From embeddings to final states, all positions at once."""
        stream = ResidualStream.of(states)
        for layer in self.layers:
            stream = layer(stream, visibility)
        result: Tensor = self.end(stream.states)
        return result

    def initial_state(self, like: Float[Tensor, "batch length width"]) -> tuple[KeysValues, ...]:
        """For each layer, the keys and values of no position at all."""
        return tuple(cast(SelfAttentionLayer, layer).self_attention.initial_state(like) for layer in self.layers)

    def step(
        self, states: Float[Tensor, "batch length width"], written: tuple[KeysValues, ...], visibility: Visibility
    ) -> tuple[Float[Tensor, "batch length width"], tuple[KeysValues, ...]]:
        """From embeddings of new positions to their final states, and all that is written now."""
        stream, now = ResidualStream.of(states), []
        for layer, before in zip(self.layers, written, strict=True):
            stream, after = cast(SelfAttentionLayer, layer).step(stream, before, visibility)
            now.append(after)
        return self.end(stream.states), tuple(now)


def initialise(model: nn.Module, config: StackConfig) -> None:
    """Draws the matrices of the stacks and sets their biases to zero; a score begins as it says itself."""
    scores = {part for found in model.modules() if isinstance(found, Score) for part in found.modules()}
    joint: set[nn.Module] = set()
    if config.initialisation == "joint_xavier":
        attentions = [found for found in model.modules() if isinstance(found, MultiHeadAttention)]
        joint = {part for found in attentions for part in (found.query, found.key, found.value)}
    for module in model.modules():
        if not isinstance(module, nn.Linear) or module in scores:
            continue
        if config.initialisation == "tensor2tensor":
            reach = (3 / module.in_features) ** 0.5
            nn.init.uniform_(module.weight, -reach, reach)
        else:
            nn.init.xavier_uniform_(module.weight, gain=2**-0.5 if module in joint else 1.0)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
