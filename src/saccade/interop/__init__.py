"""Models in the formats of other programs.

In reading order:

    trained_model.py      what an export needs to know about a model
    exported_folder.py    the folder of an export: whole or absent, known again as ours
    ctranslate2.py        a Transformer for CTranslate2
"""
