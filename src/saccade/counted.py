"""Numbers with their nouns, as people read them: 1 line, 2 lines, 3,000 lines."""


def counted(number: int, noun: str) -> str:
    """The number and the noun, which is given in the singular and takes an s."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
