"""The explorer: a page that shows how a model attends, drawn from traces (`saccade.tracing`).

In reading order:

    server.py          the HTTP server behind the page
    requests.py        the bodies it reads, and their limits
    turns.py           one computation at a time, none for a client that has left
    session.py         the loaded models and the traces made so far
    remarks.py         what a person should know before they believe a translation
    side_by_side.py    one sentence through several models, as the document of a page
    page.py            the page as HTML: served, or exported as one file
    live_page.py       what a live page holds besides: models that its own worker runs
    live_model.py      a model as such a page carries it: modules, weights, tokenizers
    notebook.py        `saccade.explore`: the page inside a notebook
    lineage.py         the papers that the page lists
    ancestor_traces.py  an older system beside one model alone, traced in advance
    cost.py            measured time of one layer of each kind in Table 1
"""
