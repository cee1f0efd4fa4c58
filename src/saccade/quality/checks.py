"""All checks that suit a pair of languages, and what they find."""

from saccade.language_codes import language_code
from saccade.quality.faults import Check, Fault, FaultFinder
from saccade.quality.languages import LanguageCheck
from saccade.quality.lengths import LengthBounds
from saccade.quality.names import NameCheck, TranslatedNames
from saccade.quality.numbers import wrong_numbers
from saccade.quality.repetition import loops

_CODES = (
    " aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs "  # codespell:ignore
    "cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha "  # codespell:ignore
    "he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn "  # codespell:ignore
    "ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb "  # codespell:ignore
    "nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd "  # codespell:ignore
    "se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw "  # codespell:ignore
    "ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu "  # codespell:ignore
)
"""Of ISO 639-1; a code of three letters is taken to be one of ISO 639-3."""


def checks_for(
    source_language: str | None,
    target_language: str | None,
    lengths: LengthBounds | None = None,
    names: TranslatedNames | None = None,
) -> FaultFinder | None:
    """The checks of translations between two languages; None where these are not known, or made up.

    Bounds of lengths that nobody has learned are wide, and names are not compared unless it is known which of them are
    translated.
    """
    if not (_is_language(source_language) and _is_language(target_language)):
        return None  # digits to be sorted, letters to be reversed: any output may be right
    checks: list[Check] = [
        loops,
        LanguageCheck(source_language, target_language),
        wrong_numbers,
        lengths or LengthBounds(),
    ]
    if names is not None:
        checks.append(NameCheck(names, source_language, target_language))
    return FaultFinder(tuple(checks))


def _is_language(name: str | None) -> bool:
    code = language_code(name)
    return f" {code} " in _CODES or len(code) == 3


def fault_without_end() -> Fault:
    """The fault of an output that did not end before it was as long as outputs may be."""
    return Fault("too_long", "has no end")
