"""Lines on their way into a model: encoded, cut where that was asked for, and refused where it cannot read them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from saccade.data.tokenizer import Tokenizer
from saccade.decoding.tree_outputs import TreeOutputs
from saccade.errors import LineError, TreeError
from saccade.serving.batching import SearchInput
from saccade.special_tokens import EOS

TOO_LONG = "too long"
"""The reason why a line is refused that is longer than the model reads."""


@dataclass(frozen=True)
class Restored:
    """A span of a source that the text of an output must have in the place of what was `written` for it.

    `joined_before` and `joined_after` say that it touched a word there. Where nothing was written for it, it stands
    after this `share` of the words; 1 is before the final stop, 2 after it. It may be the `whole` text.
    """

    written: str
    span: str
    joined_before: bool = False
    joined_after: bool = False
    share: float = 0.0
    whole: bool = False


@dataclass(frozen=True)
class Line:
    """A line to translate: its number, counted from one, its text and its tokens.

    `words` are those that a parser's tree must have. `restored` are spans that are put back into its outputs.
    """

    number: int
    source: str
    input: SearchInput
    truncated: bool = False
    words: tuple[str, ...] = ()
    restored: tuple[Restored, ...] = ()


@dataclass(frozen=True)
class RefusedLine:
    """A line that cannot be translated, and why."""

    number: int
    source: str
    error: LineError


@dataclass(frozen=True)
class TokenPair:
    """A pair to score: both sides as tokens, EOS last."""

    number: int
    source: tuple[int, ...]
    target: tuple[int, ...]
    truncated: bool


@dataclass(frozen=True)
class LineReader:
    """Encodes lines for a model; one without sources (a language model) reads them as the beginning of its output.

    The outputs of a parser are `trees`. A model reads worse what is longer than nearly all it learned from, its
    `usual_length`, though it can.
    """

    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    maximum_length: int
    has_sources: bool
    trees: TreeOutputs | None = None
    usual_length: int | None = None

    def read(
        self, window: Sequence[tuple[int, tuple[str | LineError, str]]], truncate: bool
    ) -> list[Line | RefusedLine]:
        """Numbered lines with their prefixes, in order; an error among them stands for a line that is no text."""
        texts = ["" if isinstance(line, LineError) else line for _, (line, _) in window]
        prefixes = [prefix for _, (_, prefix) in window]
        if self.has_sources:
            sources = self.source_tokenizer.encode([self._as_read(text) for text in texts])
            distinct = list(dict.fromkeys(prefixes))  # one for all, and mostly none
            known = dict(zip(distinct, self.target_tokenizer.without_language.encode(distinct), strict=True))
            begins = [known[prefix] for prefix in prefixes]
        else:
            sources = [[] for _ in window]
            begins = self.target_tokenizer.encode(
                [f"{prefix} {text}" for prefix, text in zip(prefixes, texts, strict=True)]
            )
        return [
            RefusedLine(number, line.text, line)
            if isinstance(line, LineError)
            else self._line(number, line, tokens, begin, truncate)
            for (number, (line, _)), tokens, begin in zip(window, sources, begins, strict=True)
        ]

    def read_pairs(
        self, window: Sequence[tuple[int, tuple[str, str]]], truncate: bool
    ) -> list["TokenPair | RefusedLine"]:
        """Numbered pairs of texts, in order."""
        sources = self.source_tokenizer.encode([self._as_read(source) for _, (source, _) in window])
        symbols = [self._symbols(*pair, number) for number, pair in window]
        language = self.target_tokenizer.language_tokens
        written_tokens = self.target_tokenizer.without_language.encode(
            [one if isinstance(one, str) else "" for one in symbols]
        )
        targets = [[*language, *tokens] for tokens in written_tokens]
        read: list[TokenPair | RefusedLine] = []
        for (number, (text, _)), source, target, written in zip(window, sources, targets, symbols, strict=True):
            if isinstance(written, LineError):
                read.append(RefusedLine(number, text, written))
                continue
            try:
                kept = self.fit(source, number, truncate, "source", text)
                kept_target = self.fit(target, number, truncate, "target", text)
            except LineError as refusal:
                read.append(RefusedLine(number, text, refusal))
                continue
            cut = len(kept) < len(source) or len(kept_target) < len(target)
            read.append(TokenPair(number, (*kept, EOS), (*kept_target, EOS), cut))
        return read

    def _line(self, number: int, text: str, tokens: list[int], begin: list[int], truncate: bool) -> Line | RefusedLine:
        try:
            kept = self.fit(tokens, number, truncate, "source", text), self.fit(begin, number, truncate, "prefix", text)
        except LineError as refusal:
            return RefusedLine(number, text, refusal)
        cut = len(kept[0]) < len(tokens) or len(kept[1]) < len(begin)
        if self.trees is None:
            language = self.target_tokenizer.language_tokens
            return Line(number, text, SearchInput(tuple(kept[0]), tuple(kept[1]), language=language), cut)
        words = self.trees.words(self.source_tokenizer.decode(kept[0]) if cut else text)
        search = SearchInput(tuple(kept[0]), tuple(kept[1]), self.trees.leaf_tokens(words))
        return Line(number, text, search, cut, tuple(words))

    def _as_read(self, text: str) -> str:
        """A source as the model has learned to read it."""
        return text if self.trees is None else " ".join(self.trees.words(text))

    def _symbols(self, source: str, target: str, number: int) -> str | LineError:
        """A target as its tokenizer reads it."""
        if self.trees is None:
            return target
        try:
            return self.trees.symbols(target, source)
        except TreeError as problem:
            return LineError(f"line {number}: {problem}", "no tree", source)

    def named_language(self, text: str) -> tuple[str, str]:
        """The language that a text names at its beginning, as some models want it, and the text without it."""
        return self.source_tokenizer.named_language(text)

    def fits(self, text: str) -> bool:
        """Whether the model can read a text as it is, and well."""
        return self._reads_well(len(self.source_tokenizer.encode([text])[0]))

    def is_too_long(self, line: "Line | RefusedLine") -> bool:
        """Whether a line should be cut before it is searched."""
        if isinstance(line, RefusedLine):
            return line.error.reason == TOO_LONG
        return not self._reads_well(len(line.input.tokens))

    def _reads_well(self, tokens: int) -> bool:
        return tokens < min(self.maximum_length, self.usual_length or self.maximum_length)  # one place is for EOS

    def fit(self, tokens: list[int], number: int, truncate: bool, side: str, text: str) -> list[int]:
        """The tokens, or as many of them as the model reads."""
        limit = self.maximum_length
        if len(tokens) < limit:  # one place is for EOS
            return tokens
        if truncate:
            return tokens[: limit - 1]
        raise LineError(
            f"line {number} must have a {side} of at most {limit - 1} tokens, which is what this model reads, but has "
            f"{len(tokens)}. Split it, or ask to truncate it (--truncate) or to go on without it (--on-error skip).",
            TOO_LONG,
            text,
        )


def with_prefixes(
    lines: Iterable[str | LineError], prefix: str | Iterable[str]
) -> Iterator[tuple[str | LineError, str]]:
    """Each line with the beginning its translation must have: one for all, or one for each."""
    if isinstance(prefix, str):
        return ((line, prefix) for line in lines)
    return zip(lines, prefix, strict=True)
