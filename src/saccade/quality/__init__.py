"""Whether a translation can be trusted, judged from its text and from the model's probabilities.

In reading order:

    faults.py           the faults that are looked for
    words.py            texts as words, for comparison
    repetition.py       loops: words, phrases and syllables that the source does not repeat
    languages.py        copies of the source, and outputs in another language
    numbers.py          numbers of the source that are missing, and numbers that it does not have
    names.py            names of the source that are missing, and names that it does not have
    lengths.py          outputs that are too long or too short for their source
    certainty.py        outputs that the model itself was not sure of
    calibration.py      from a model's probabilities to confidences that are true on held-out text
    profile.py          what has been learned about the outputs of a model, as a file
    checks.py           all checks that suit a pair of languages
"""
