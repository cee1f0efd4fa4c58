"""Text as people have it: what of it is translated, and what must come back as it was.

In reading order:

    protected_spans.py   what a translation must copy: addresses, numbers, code, placeholders, emoji
"""
