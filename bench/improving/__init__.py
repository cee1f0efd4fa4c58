"""What fine-tuning, back-translation and distillation gain, with three seeds: `python -m bench.improving.NAME OUT`.

fine_tuning.py        a model of everyday sentences in another domain: all weights, old data mixed in, adapters
back_translation.py   text of the target language with machine-made sources: searched, tagged, drawn
learning_rates.py     the peak of fine-tuning beside lower and higher ones; run first, judged by nobody
distillation.py       a small model alone, and on what one teacher or two write
corpora.py            the pairs and the text that all of them use
verdicts.py           the rule by which all of them are judged, and their tables
experiment.py         the command line they share; seeds side by side
"""
