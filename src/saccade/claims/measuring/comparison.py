"""Whether two things differ by more than a margin: yes, no, or the seeds do not say.

    clearly(measured, "soft", over="hard", by=0.05)    True, False, or None where the seeds do not say
    above(measured, "soft", 0.9)                       the same of one thing and a fixed level
    opposite(answer)                                   the answer to the opposite question
    some(answers), every(answers), most(answers)       whether one of them is yes; all are; more than half are
    verdict(required, wanted)                          from such answers
    verdict_of_several(cases)                          from answers to the same question in several cases

A difference is taken seed by seed and averaged; its standard error is that of the mean over the seeds. Where the two of
a seed read the same data, that takes out what they have in common; where they do not, the standard error is that of
independent samples all the same. The answer is yes if the mean is above the margin even three standard errors lower, no
if it is below it even three standard errors higher. From one seed no standard error can be had, hence no answer either.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev

from saccade.claims.claim import Measured, Verdict

ERRORS = 3
"""How many standard errors a difference must be away from what it is compared with."""

Answer = bool | None
"""None: the seeds do not say."""


def more_than(values: Sequence[float], margin: float) -> Answer:
    """Whether the mean of what these are a sample of is above the margin."""
    if len(values) < 2:
        return None
    mean, error = fmean(values), standard_error(values)
    if mean - ERRORS * error >= margin:
        return True
    return False if mean + ERRORS * error < margin else None


def standard_error(values: Sequence[float]) -> float:
    """That of the mean."""
    return stdev(values) / sqrt(len(values))


def clearly(measured: Measured, name: str, over: str, by: float) -> Answer:
    """Whether `name` is more than `over` by this much."""
    each = zip(measured.each(name), measured.each(over), strict=True)
    return more_than([one - other for one, other in each], by)


def above(measured: Measured, name: str, level: float) -> Answer:
    """Whether `name` is more than this level."""
    return more_than(measured.each(name), level)


def opposite(answer: Answer) -> Answer:
    """No for yes, and yes for no; what the seeds do not say stays unsaid."""
    return None if answer is None else not answer


def some(answers: Sequence[Answer]) -> Answer:
    """Whether it is so in one case at least."""
    if True in answers:
        return True
    return None if None in answers else False


def every(answers: Sequence[Answer]) -> Answer:
    """Whether it is so in all cases, whatever those that are not decided may be."""
    if False in answers:
        return False
    return None if None in answers else True


def most(answers: Sequence[Answer]) -> Answer:
    """Whether it is so in more than half of the cases, whatever those that are not decided may be."""
    if answers.count(True) > len(answers) / 2:
        return True
    return None if answers.count(True) + answers.count(None) > len(answers) / 2 else False


def verdict(required: Sequence[Answer], wanted: Sequence[Answer] = ()) -> Verdict:
    """What is required decides; what is wanted besides and is not found makes a caveat."""
    if False in required:
        return Verdict.FAILS
    if None in required:
        return Verdict.UNDECIDED
    return Verdict.HOLDS if all(wanted) else Verdict.CAVEAT


def verdict_of_several(cases: Sequence[Answer]) -> Verdict:
    """Holds in all of the cases, with a caveat only in some, or in none; undecided where the unknown cases matter."""
    if None in cases and not (True in cases and False in cases):
        return Verdict.UNDECIDED
    return Verdict.HOLDS if all(cases) else Verdict.CAVEAT if any(cases) else Verdict.FAILS


def stated(measured: Measured, names: Sequence[str], digits: int = 3) -> str:
    """The mean of each over the seeds, with its standard error."""
    return "; ".join(f"{name} {with_error(measured.each(name), digits)}" for name in names)


def with_error(values: Sequence[float], digits: int = 3) -> str:
    """The mean of a sample, with its standard error."""
    error = f" ± {standard_error(values):.{digits}f}" if len(values) > 1 else ""
    return f"{fmean(values):.{digits}f}{error}"
