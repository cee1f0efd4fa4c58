"""Models in the formats of other programs, one file for each.

In reading order:

    ctranslate2.py    a Transformer for CTranslate2
"""
