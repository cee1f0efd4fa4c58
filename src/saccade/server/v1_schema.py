"""Requests and answers of our own API. What is declared here validates both, and is what the OpenAPI document says."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

WIDEST_BEAM = 64
MOST_TERMS = 1_000
"""Entries of a glossary."""

Name = Annotated[str, Field(max_length=200)]
Text = Annotated[str, Field(max_length=1_000_000)]


class Strict(BaseModel):
    """Nothing that is not declared, and no value of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class WhichModel(Strict):
    """Which model is asked: by its name, or by its languages; without either, the first."""

    model: Name | None = Field(None, description="The name of a model, as /v1/models lists it.")
    source: Name | None = Field(None, description="The language of the texts.")
    target: Name | None = Field(None, description="The language to translate into.")


class TranslateRequest(WhichModel):
    """Texts to translate, and what to tell about them."""

    texts: list[Text] = Field(min_length=1, description="What to translate, each on its own.")
    nbest: Annotated[int, Field(ge=1, le=WIDEST_BEAM)] = Field(1, description="Up to so many translations of each.")
    beam: Annotated[int, Field(ge=1, le=WIDEST_BEAM)] | None = Field(None, description="Hypotheses kept alive.")
    alpha: Annotated[float, Field(ge=0, le=100)] | None = Field(None, description="Exponent of the length penalty.")
    prefix: Text = Field("", description="How every translation must begin.")
    glossary: dict[Text, Text] = Field(
        {}, max_length=MOST_TERMS, description="How given words are translated; an empty target keeps them as they are."
    )
    scores: bool = Field(False, description="Whether to tell scores, and confidences where the model is calibrated.")
    alignment: bool = Field(False, description="Whether to link the words of both sides.")
    split_sentences: bool = Field(True, description="Whether a text is split into sentences.")
    truncate: bool = Field(False, description="Whether to cut what is too long for the model.")


class Pair(Strict):
    """A text and a translation of it."""

    source: Text
    target: Text


class ScoreRequest(WhichModel):
    """Pairs, of which the model tells how probable it finds the target."""

    pairs: list[Pair] = Field(min_length=1)


class Word(Strict):
    """A word of a translation, and how sure the model is of it."""

    word: str
    confidence: float


class Fault(Strict):
    """Something that is seen to be wrong with a translation."""

    fault: str
    what: str


class Candidate(Strict):
    """A translation; numbers only where they were asked for, in digits that depend on the text alone.

    With them comes the engine that searched.
    """

    text: str
    score: float | None = None
    log_probability: float | None = None
    token_log_probabilities: list[float] | None = None
    confidence: float | None = None
    words: list[Word] | None = None
    finished: bool | None = None
    engine: str | None = None
    source_words: list[str] | None = None
    target_words: list[str] | None = None
    alignment: list[tuple[int, int]] | None = Field(None, strict=False, description="Links: source word, target word.")


class Sentence(Candidate):
    """A text or one of its sentences, and its best translation; `error` is why it was copied instead."""

    source: str
    error: str | None = None
    truncated: bool | None = None
    faults: list[Fault] | None = None
    repaired: list[Fault] | None = None
    nbest: list[Candidate] | None = None


class Translation(Sentence):
    """A text, its best translation, and its sentences where there are several."""

    sentences: list[Sentence] | None = None


class TranslateAnswer(Strict):
    """A translation of each text, in order."""

    model: str
    translations: list[Translation]


class Score(Strict):
    """log P(target | source), of all tokens and of each; `error` is why there is none."""

    log_probability: float | None = None
    tokens: int | None = None
    token_log_probabilities: list[float] | None = None
    truncated: bool | None = None
    error: str | None = None


class ScoreAnswer(Strict):
    """The score of each pair, in order."""

    model: str
    scores: list[Score]


class ModelEntry(Strict):
    """A model that is served."""

    name: str
    task: str
    source: str | None = Field(description="The language that it reads where a request names none.")
    target: str | None = Field(description="The language that it writes where a request names none.")
    sources: list[str] = Field(description="All that it can read.")
    targets: list[str] = Field(description="All that it can write.")
    architecture: str
    engine: str


class ModelsAnswer(Strict):
    """All of them; the first is asked where a request names none."""

    models: list[ModelEntry]


class Error(Strict):
    """What is wrong, and what to do."""

    error: str


def without_none(value: BaseModel) -> dict[str, Any]:
    """As JSON, without what is not known."""
    return value.model_dump(mode="json", exclude_none=True)
