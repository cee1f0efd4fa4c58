"""Models in the formats of other programs, one file for each.

ctranslate2.py    a Transformer for CTranslate2
"""
