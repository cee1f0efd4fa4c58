"""What a shipped model must hold, measured in one command: each figure beside its bar, held or missed.

    python -m bench.shipped en-es                          everything, on this machine
    python -m bench.shipped runs/x --lines 200             the first 200 lines of every set, to try it
    python -m bench.shipped de-en --only bleu,speed --out de-en.json

The sets lie below $SACCADE_DATA. All goes through the path of a text, as `saccade translate MODEL FILE` does it, with
the search that the model was saved with.

    bleu        sacreBLEU of whole test sets
    case        what the first set and Tatoeba's lose in capitals (references in capitals) and in lower case (references
                as they are): clean less changed, the first 1,000 lines
    kept        1,000 made lines with addresses, numbers, placeholders, emoji and tags: how many keep all of them
    paragraphs  sentences lost in 500 paragraphs, made of the lines of test sets that end with a stop
    hard        the 300 hard lines (English to Spanish alone), by phenomenon
    speed       source words per second of CPU time, in a process that may use one core, with the engine auto
    size        bytes of the folder

A figure of part of a set says so. A bar is held if the figure reaches it; a figure without a bar is reported.

    bars.py         the bars, and figures beside them
    test_sets.py    where the sets of a pair of languages lie
    kept_things.py  made lines with tags and protected spans, and what was lost of them
    paragraphs.py   paragraphs, and the sentences lost in them
    speed.py        words per second of one core, in a process of its own
    measures.py     from a model to figures
    __main__.py     the command line
    training.py     how shipped models are made: teacher, its translations, student, in a given time
    english_text.py      English text without German, to be translated back
    back_translating.py  German-English with more English than its pairs have, in a given time
"""
