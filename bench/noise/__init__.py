"""What noise in training costs on clean text, and what it gives on text in the wild.

    python -m bench.noise --device cuda --folder runs/noise      three seeds, with and without noise

The recipe tatoeba-en-es is trained with `data.noise` 0 and 1, or other levels (`--levels 0.3 1`), everything else
alike. A run that is finished is not run again, and one that was stopped goes on, so the same command in the same folder
goes on where it was. It prints a table and writes results.json. Sentences go to the search as they are: no splitting,
no protection of spans.

The rule, written before the first run. For each figure, d is the mean over the seeds of "with" minus "without", and s
its standard error.

    noise costs nothing on clean text     if  d - 3 s > -1 BLEU on the clean test set;  it costs  if  d + 3 s < 0
    noise helps against a kind of text    if  d - 3 s > 0 on that test set;  it harms  if  d + 3 s < 0
    anything else                         is undecided

Noise stays the default of the automatic recipe if it costs nothing and helps with capitals, lower case, typing errors
and what is to be kept.

    variants.py    the test set in capitals, with typing errors and so on
    rule.py        means, standard errors and verdicts
    run.py         trains one model and translates with it
    __main__.py    all runs, one after another or side by side, and the table
"""
