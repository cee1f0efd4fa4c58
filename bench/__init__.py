"""Speed of saccade beside the libraries a user could choose instead; results stand in docs/benchmarks.md.

    python -m bench          on this machine's CPU, every peer in its own environment
    python -m bench.gpu      on a CUDA machine, with the peers that are installed there
    python -m bench.lineage.NAME   what each paper of the lineage claims, on short runs
    python -m bench.improving.NAME OUT   what fine-tuning, back-translation and distillation gain
    python -m bench.time_to_quality RECIPE OUT   what makes a training good sooner
    python -m bench.seconds_to_quality RECIPE OUT   how long after Enter it is good
    python -m bench.noise          what noise in training costs and gives
    python -m bench.serve MODEL LINES   the service under load
    python -m bench.bulk MODEL LINES    files of millions of lines, beside the bare engine
    python -m bench.shipped MODEL   what a shipped model must hold, figure by figure
    python -m bench.search_settings [MODEL]   what the beam and the length penalty are worth
    python -m bench.first_picture [MODEL]   how long a reader of the explorer waits for a picture
    python -m bench.live_page MODEL   a model inside a live page, in Chromium
    python -m bench.live_equality MODEL   whether it computes there what it computes in Python
    python -m bench.parsing_peer   another parser on the same trees
    python -m bench.hard_lines     what becomes of numbers, names, tags, capitals and the like

Everybody gets the same sentences in the same batches, in turns, so that noise affects all alike. Only real tokens
count. Beside every time stands the roofline: the model's matrix products alone, at the same shapes, measured in the
same turns. A ratio is the median of the ratios of equal pieces of work, with its quartiles. An implementation that
cannot be measured is listed with the reason.

    __main__.py          the command line
    catalogue.py         every bench by its command, and what it needs
    implementations.py   who is measured, and what this machine cannot run
    workload.py          model sizes, sentences, batches, and their floating-point operations
    train.py             training: target tokens per second of whole optimiser steps
    decode.py            decoding: milliseconds per sentence, output tokens per second
    prepare.py           text to token stores, beside sentencepiece alone
    constraints.py       protected spans and forced terms: what is kept, and what it costs
    repairs.py           repairs of outputs: whether they help, and what they cost
    imported.py          an imported model of OPUS-MT's size, beside transformers, which it came from
    imported_trained.py  the same with a model that was trained: real sentences, outputs that end
    imported_cpu.py      an imported model on a CPU, beside CTranslate2 with its own converter
    search_cpu.py        a file of sentences on a CPU, beside CTranslate2 by hand; who depends on whom
    own_search_cpu.py    our own search on a CPU, beside CTranslate2 in float32 or int8
    search_settings.py   beams and length penalties beside the paper's, with standard errors
    bulk.py              bulk from file to file, beside the bare engine
    serve.py             the service under load: capacity, times, memory
    serve_clients.py     its clients, for locust
    serve_peers.py       LibreTranslate with the same model, and a plain loop around CTranslate2
    first_picture.py     from Enter to a picture, with Python behind the page
    live_page.py         a model inside a live page: ready, searching, tracing
    live_equality.py     its tokens and traces beside those of Python
    firefox.py           a Firefox to run a live page in, driven by its own protocol
    page_opening.py      how long a page takes to open in a browser that nobody watches
    server_process.py    a server of ours, as a process of its own
    descendants.py       CPU seconds of processes that this one has started
    text_path.py         what everything around the search of a line costs
    span_searches.py     what protected spans need after the first search, counted
    time_to_quality.py   optimizers, schedules and batches, with as many tokens
    seconds_to_quality.py   from Enter to a score
    shared_data.py       data that one run prepares and the others copy
    parsing_peer.py      what supar's parser reaches on the same trees
    parsing_seeds.py     what the recipe craft-parsing reaches, over seeds
    supar_worker.py      its end, in the environment of supar
    startup.py           one sentence and one step of training in a new process, beside importing torch
    round_robin.py       all implementations alive at once, measured in turns
    worker_process.py    starts a worker, sends requests, and repeats disturbed measurements
    worker.py            the other end: one library in its own process
    environments.py      one virtual environment per peer, made on first use
    machine.py           the CPU by name, how busy other processes keep it, and what commands find there
    quartiles.py         medians with quartiles
    results.py           the JSON file of a machine and day
    table.py             results as Markdown
"""

import sys
from types import TracebackType


def _told(kind: type[BaseException], problem: BaseException, where: TracebackType | None) -> None:
    """A measurement that somebody has had enough of has not failed."""
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
    else:
        sys.__excepthook__(kind, problem, where)


sys.excepthook = _told
