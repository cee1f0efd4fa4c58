"""What is measured: saccade, the roofline and every peer, each with the environment it runs in.

fairseq is missing on purpose: its last release does not import on Python 3.11.
"""

from dataclasses import dataclass

from saccade.hardware import native_bfloat16_matmul

ALWAYS = ("roofline", "saccade")
"""What every table has, whatever peers were asked for."""


@dataclass(frozen=True)
class Implementation:
    """A row of a table: an adapter, a variant of it, and its environment; None is the one the bench runs in."""

    title: str
    adapter: str
    variant: str = ""
    environment: str | None = None

    @property
    def key(self) -> str:
        """Its name on the command line and for the worker."""
        return f"{self.adapter}@{self.variant}" if self.variant else self.adapter

    @property
    def obstacle(self) -> str | None:
        """Why this machine cannot run it in reasonable time, if it cannot."""
        if "bfloat16" in self.variant and not native_bfloat16_matmul():
            return "this CPU has no bfloat16 matrix products; emulated ones take minutes per step"
        return None


ROOFLINE = Implementation("roofline: the matrix products alone, float32", "roofline")
SACCADE = Implementation("saccade", "saccade")

TRAINING = (
    ROOFLINE,
    SACCADE,
    Implementation("saccade, attention dropout", "saccade", "attention_dropout"),
    Implementation("saccade, float32", "saccade", "float32"),
    Implementation("saccade, float32, attention dropout", "saccade", "float32_attention_dropout"),
    Implementation("Hugging Face Marian", "huggingface", "", "huggingface"),
    Implementation("Hugging Face Marian, attention dropout", "huggingface", "attention_dropout", "huggingface"),
    Implementation("Hugging Face Marian, bfloat16", "huggingface", "bfloat16", "huggingface"),
    Implementation("nn.Transformer, attention dropout", "torch_nn"),
    Implementation("JoeyNMT, attention dropout", "joeynmt", "", "joeynmt"),
    Implementation("OpenNMT-py, attention dropout", "opennmt", "", "opennmt"),
    Implementation("eole, attention dropout", "eole", "", "eole"),
    Implementation("Sockeye, attention dropout", "sockeye", "", "sockeye"),
    Implementation("x-transformers, attention dropout", "x_transformers", "", "x_transformers"),
)

DECODING = (
    ROOFLINE,
    SACCADE,
    Implementation("saccade, engine ctranslate2", "saccade", "ctranslate2"),
    Implementation("saccade, the readable search", "saccade", "readable"),
    Implementation("CTranslate2 float32", "ctranslate2", "float32", "ctranslate2"),
    Implementation("CTranslate2 float32, one thread a worker", "ctranslate2", "float32-split", "ctranslate2"),
    Implementation("CTranslate2 int8", "ctranslate2", "int8", "ctranslate2"),
    Implementation("CTranslate2 int8, one thread a worker", "ctranslate2", "int8-split", "ctranslate2"),
    Implementation("Hugging Face Marian", "huggingface", "", "huggingface"),
    Implementation("nn.Transformer, no cache", "torch_nn"),
    Implementation("JoeyNMT", "joeynmt", "", "joeynmt"),
    Implementation("OpenNMT-py", "opennmt", "", "opennmt"),
    Implementation("eole", "eole", "", "eole"),
    Implementation("Sockeye", "sockeye", "", "sockeye"),
    Implementation("x-transformers", "x_transformers", "", "x_transformers"),
)


def select(implementations: tuple[Implementation, ...], peers: list[str] | None) -> list[Implementation]:
    """Those asked for, by adapter or by key, in the order of the table; all if `peers` is None."""
    if peers is None:
        return list(implementations)
    return [one for one in implementations if one.adapter in ALWAYS or one.adapter in peers or one.key in peers]


def unknown(peers: list[str]) -> list[str]:
    """Names that no table has."""
    known = {name for one in (*TRAINING, *DECODING) for name in (one.adapter, one.key)}
    return [name for name in peers if name not in known]
