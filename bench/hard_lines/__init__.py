"""Three hundred hard lines of English with Spanish references, written by hand, and what a model makes of them.

    python -m bench.hard_lines en-es               a table: one row for each phenomenon
    python -m bench.hard_lines en-es --show names  its lines, with what came out

Numbers, addresses, placeholders, tags, capitals, names, typing errors, punctuation, symbols and other scripts, several
sentences, layout, and sentences of sixty words: what text has outside of test sets. Each line says what must come out
as it went in.

    en-es.jsonl   one line each: phenomenon, source, what must be kept, reference
    scoring.py    what was kept, and how near the output is to the reference
    __main__.py   the command line
"""
