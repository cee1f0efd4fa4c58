"""Three hundred hard lines of English with Spanish references, written by hand, and what a model makes of them.

    python -m bench.hard_lines en-es               a table: one row for each phenomenon
    python -m bench.hard_lines en-es --show names  its lines, with what came out

Numbers, addresses, placeholders, tags, capitals, names, typing errors, punctuation, symbols and other scripts, several
sentences, layout, and sentences of sixty words: what text has outside of test sets. Each line says what must come out
as it went in.

    python -m bench.hard_lines.faults en-es        faults found by hand, and how many of them saccade finds and repairs

    en-es.jsonl   one line each: phenomenon, source, what must be kept, reference
    scoring.py    what was kept, and how near the output is to the reference
    __main__.py   the command line
    faults.py     faults found by hand, against those that are found and repaired
    faults-en-es.jsonl  faults found by hand in outputs for these lines, and for 200 of test sets
"""
