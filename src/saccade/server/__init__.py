"""`saccade serve`: translation over HTTP, for people and programs.

In reading order:

    settings.py           the limits of a server
    request_batching.py   lines of several requests searched together, by their tokens
    metrics.py            what is counted and measured
    admission.py          how many requests may be inside, for how long, and what ends with their client
    served_models.py      the models by language pair, replaced when their folders change
    reloading.py          model folders that change while a server runs
    languages.py          which of the languages served a text is in
    texts.py              texts and marked-up texts through a served model
    uploads.py            files, uploaded and kept to be fetched
    api_keys.py           who may ask, and how often
    libretranslate.py     the routes of LibreTranslate
    v1_schema.py          requests and answers of our own API
    v1.py                 its routes: scores, n-best lists, alignments, glossaries, prefixes
    openapi.py            both APIs as an OpenAPI document
    application.py        all routes with what every request passes, and the server behind a socket
"""
