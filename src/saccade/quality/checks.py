"""All checks that suit a pair of languages, and what they find."""

from saccade.quality.faults import Check, Fault, FaultFinder
from saccade.quality.languages import LanguageCheck
from saccade.quality.lengths import LengthBounds
from saccade.quality.names import NameCheck, TranslatedNames
from saccade.quality.numbers import wrong_numbers
from saccade.quality.repetition import loops


def checks_for(
    source_language: str | None,
    target_language: str | None,
    lengths: LengthBounds | None = None,
    names: TranslatedNames | None = None,
) -> FaultFinder | None:
    """The checks of translations between two languages; None where these are not known.

    Bounds of lengths that nobody has learned are wide, and names are not compared unless it is known which of them are
    translated.
    """
    if source_language is None or target_language is None:
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


def fault_without_end() -> Fault:
    """The fault of an output that did not end before it was as long as outputs may be."""
    return Fault("too_long", "has no end")
