"""Who is measured: saccade, the floor, and every peer, with the environment it lives in."""

from dataclasses import dataclass

ALWAYS = ("floor", "saccade")
"""What every table has, whatever peers were asked for."""


@dataclass(frozen=True)
class Subject:
    """A row of a table: an adapter, a variant of it, and an environment; None is the one the bench runs in."""

    title: str
    adapter: str
    variant: str = ""
    environment: str | None = None

    @property
    def key(self) -> str:
        """What the command line and the worker call it."""
        return f"{self.adapter}@{self.variant}" if self.variant else self.adapter


FLOOR = Subject("floor: the matrix products alone, float32", "floor")
SACCADE = Subject("saccade", "saccade")

TRAINING = (
    FLOOR,
    SACCADE,
    Subject("saccade, attention dropout", "saccade", "attention_dropout"),
    Subject("saccade, float32", "saccade", "float32"),
    Subject("saccade, float32, attention dropout", "saccade", "float32_attention_dropout"),
    Subject("Hugging Face Marian", "huggingface", "", "huggingface"),
    Subject("Hugging Face Marian, attention dropout", "huggingface", "attention_dropout", "huggingface"),
    Subject("Hugging Face Marian, bfloat16", "huggingface", "bfloat16", "huggingface"),
    Subject("nn.Transformer, attention dropout", "torch_nn"),
    Subject("JoeyNMT, attention dropout", "joeynmt", "", "joeynmt"),
    Subject("OpenNMT-py, attention dropout", "opennmt", "", "opennmt"),
    Subject("eole, attention dropout", "eole", "", "eole"),
    Subject("Sockeye, attention dropout", "sockeye", "", "sockeye"),
    Subject("x-transformers, attention dropout", "x_transformers", "", "x_transformers"),
    Subject("fairseq", "fairseq", "", "fairseq"),
)

DECODING = (
    FLOOR,
    SACCADE,
    Subject("saccade, engine ctranslate2", "saccade", "ctranslate2"),
    Subject("saccade, the readable search", "saccade", "readable"),
    Subject("CTranslate2 float32", "ctranslate2", "float32", "ctranslate2"),
    Subject("CTranslate2 float32, one thread a worker", "ctranslate2", "float32-split", "ctranslate2"),
    Subject("CTranslate2 int8", "ctranslate2", "int8", "ctranslate2"),
    Subject("CTranslate2 int8, one thread a worker", "ctranslate2", "int8-split", "ctranslate2"),
    Subject("Hugging Face Marian", "huggingface", "", "huggingface"),
    Subject("nn.Transformer, no cache", "torch_nn"),
    Subject("JoeyNMT", "joeynmt", "", "joeynmt"),
    Subject("OpenNMT-py", "opennmt", "", "opennmt"),
    Subject("eole", "eole", "", "eole"),
    Subject("Sockeye", "sockeye", "", "sockeye"),
    Subject("x-transformers", "x_transformers", "", "x_transformers"),
    Subject("fairseq", "fairseq", "", "fairseq"),
)


def chosen(subjects: tuple[Subject, ...], peers: list[str] | None) -> list[Subject]:
    """Those asked for, by adapter or by key, in the order of the table; None: all."""
    if peers is None:
        return list(subjects)
    return [one for one in subjects if one.adapter in ALWAYS or one.adapter in peers or one.key in peers]


def unknown(peers: list[str]) -> list[str]:
    """Names that no table has."""
    known = {name for one in (*TRAINING, *DECODING) for name in (one.adapter, one.key)}
    return [name for name in peers if name not in known]
