"""Terms as a vocabulary writes them: from words to the tokens that an output must contain.

A term is cut into pieces as the tokenizer would cut it at its place: after a space, after an opening bracket or quote,
and at the start of the output, where a small letter may be a capital. A term whose inflection is left to the model is
a stem: every word that begins with it will do, however it is cut.
"""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from saccade.data.sentencepiece_model import SPACE
from saccade.data.tokenizer import SPECIALS, Tokenizer
from saccade.decoding.terms import OPEN, ROOT, START, Form, Term, WordMarks
from saccade.special_tokens import EOS

SHORTEST_STEM = 3
ENDING = 3
"""A stem is a word without its last letters, at most so many and at most a third of it."""
_WORD = "w"  # stands for any word before a term
_OPENING = frozenset("([{<\u00ab\u00bb\u201c\u201d\u201e\u2018\u2019\"'`*_/\u00bf\u00a1-\u2013\u2014")
"""Characters that a word may follow without a space; not those that end a sentence or a part of it."""
_BEFORE = {ROOT: (f"{_WORD} ",), OPEN: ("(", '"', "\u00bf", "\u00ab", "'"), START: ("",)}
"""What a term is cut behind to learn how it is cut there; of several, the first that is cut as it is alone."""


def stem_of(word: str) -> str:
    """How all inflected forms of a word are taken to begin: `perr` for `perro`, `traducc` for `traducción`."""
    return word[: max(SHORTEST_STEM, len(word) - min(ENDING, len(word) // 3))]


class TermForms:
    """Writes terms with the pieces of a target tokenizer."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    @cached_property
    def marks(self) -> WordMarks:
        """What each piece does to the word before it and the one after it."""
        begins, opens = list[bool](), list[bool]()
        for token, piece in enumerate(self._pieces):
            text = piece.replace(SPACE, " ")
            spells_byte = _is_byte(piece)
            # Half a character may be the middle of a word.
            begins.append(token == EOS or (bool(text) and not spells_byte and not _in_word(text[0])))
            opens.append(token not in SPECIALS and not spells_byte and text[-1:] in _OPENING)
        if self._tokenizer.kind == "word":
            begins = [True] * len(begins)
        return WordMarks(tuple(begins), tuple(opens))

    @cached_property
    def letters(self) -> tuple[bool, ...]:
        """Whether each piece is letters alone, apart from a space before them."""
        return tuple(piece.removeprefix(SPACE).isalpha() for piece in self._pieces)

    def term(self, alternatives: Sequence[str], *, inflected: bool = False) -> Term:
        """A term that any of these texts meets; empty where the vocabulary can write none of them."""
        forms = dict.fromkeys(
            form for text in alternatives for form in (self._stem(text) if inflected else self._forms(text))
        )
        return tuple(forms)

    def _forms(self, text: str) -> list[Form]:
        text = self._tokenizer.normalise(text)
        if not text:
            return []
        # After a script without spaces any character may follow.
        free = not (_in_word(text[-1]) and has_spaces(text[-1]))
        capital = text[0].upper() + text[1:]
        tokens_at = self._tokens([(ROOT, text), (OPEN, text), (OPEN, capital), (START, text), (START, capital)])
        forms = []
        for (root, _), tokens in tokens_at.items():
            if tokens and not SPECIALS & set(tokens):
                forms.append(Form.of(tokens, root, free=free))
        if not has_spaces(text[0]) and (glued := tokens_at.get((OPEN, text))):
            forms.append(Form.of(glued, ROOT, free=free))
        return forms

    def _tokens(self, places: Sequence[tuple[int, str]]) -> dict[tuple[int, str], list[int]]:
        """The tokens of texts, each at its root: at the start, after a word and a space, or after a bracket.

        A text has none where what stands before would be cut otherwise because of it.
        """
        tried = [(place, before) for place in dict.fromkeys(places) for before in _BEFORE[place[0]]]
        found: dict[tuple[int, str], list[int]] = {}
        # One call, since it takes longer to begin than to encode a few words; so do threads.
        encoded = self._tokenizer.encode([before + text for (_, text), before in tried], threads=1)
        for (place, before), together in zip(tried, encoded, strict=True):
            alone = self._alone[before]
            if (alone or not before) and together[: len(alone)] == alone:
                found.setdefault(place, together[len(alone) :])
        return found

    @cached_property
    def _alone(self) -> dict[str, list[int]]:
        before = [text for texts in _BEFORE.values() for text in texts]
        return dict(zip(before, self._tokenizer.encode(before, threads=1), strict=True))

    def _stem(self, text: str) -> list[Form]:
        """The forms of a stem: the words before the last one as they are, and of that the stem, however it is cut."""
        text = self._tokenizer.normalise(text)
        if not text:
            return []
        *words, last = text.split(" ")
        stem = " ".join([*words, stem_of(last)])
        forms = []
        for root, variant in ((ROOT, stem), (START, stem), (START, stem[0].upper() + stem[1:])):
            written = variant.replace(" ", SPACE)
            if root == ROOT or self._begins_with_space:
                written = SPACE + written
            edges = [
                (place, token, min(place + len(self._pieces[token]), len(written)))
                for place in range(len(written))
                for token in self._fitting(written[place:])
            ]
            reached = {0}
            for start, _, end in edges:  # in the order of their places
                if start in reached:
                    reached.add(end)
            if len(written) in reached:
                kept = tuple(edge for edge in edges if edge[0] in reached)
                forms.append(Form(root, kept, len(written), continues=True))
        return forms

    def _fitting(self, text: str) -> list[int]:
        """The tokens whose piece is how this text begins, or begins with all of it."""
        found = [self._by_piece[text[:end]] for end in range(1, len(text)) if text[:end] in self._by_piece]
        place = bisect_left(self._sorted, (text, -1))
        while place < len(self._sorted) and self._sorted[place][0].startswith(text):
            piece, token = self._sorted[place]
            if SPACE not in piece[len(text) :]:
                found.append(token)
            place += 1
        return sorted(found)

    @cached_property
    def _begins_with_space(self) -> bool:
        tokens = self._tokenizer.encode([_WORD])[0]
        return bool(tokens) and self._pieces[tokens[0]].startswith(SPACE)

    @cached_property
    def _pieces(self) -> list[str]:
        return self._tokenizer.pieces(range(self._tokenizer.size))

    @cached_property
    def _by_piece(self) -> dict[str, int]:
        return {piece: token for piece, token in self._sorted}

    @cached_property
    def _sorted(self) -> list[tuple[str, int]]:
        usual = ((piece, token) for token, piece in enumerate(self._pieces) if token not in SPECIALS)
        return sorted((piece, token) for piece, token in usual if piece and not _is_byte(piece))


def _is_byte(piece: str) -> bool:
    return len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">")


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def has_spaces(character: str) -> bool:
    """Whether the character's script parts words by spaces: Chinese, Japanese and Thai do not."""
    return not (
        "\u0e00" <= character <= "\u0fff" or "\u2e80" <= character <= "\ua4cf" or "\uf900" <= character <= "\ufaff"
    )
