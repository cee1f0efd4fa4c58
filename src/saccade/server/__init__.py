"""`saccade serve`: translation over HTTP, for people and programs.

In reading order:

    settings.py           the limits of a server
    request_batching.py   lines of several requests searched together, by their tokens
    admission.py          how many requests may be inside, for how long, and what ends with their client
    served_models.py      the models by language pair, replaced when their folders change
    languages.py          names of languages, and the language of a text
    texts.py              texts and marked-up texts through a served model
    libretranslate.py     the routes of LibreTranslate
    application.py        all routes with what every request passes, and the server behind a socket
"""
