"""Which symbols may follow in a linearised tree, written to be read; `tree_constraint_fast.py` is its fast twin.

An output that keeps to these rules is a well-formed tree over exactly the words of its source:

    open     a bracket may open while words remain to go into it, unless brackets are open too deep, too many have just
             been opened in a row (this bounds chains of unary brackets), or too few tokens are left to close them all
    leaf     may be written while words remain; where leaves are words, only that of the next word
    close    only the bracket opened last may close, and only when something is in it
    EOS      when all words are written and all brackets closed

What is left to write needs at least a token for each remaining word, one for each open bracket and one for EOS. Every
rule keeps this much in reserve, and a leaf can be written until the words are used up: there is always a symbol that
may follow, and the length limit cuts off no tree.
"""

from collections.abc import Sequence

from saccade.data.trees import closes, opens

DEEPEST = 100
"""Brackets that may be open at once; the deepest tree of the Penn and CRAFT treebanks has about thirty."""
LONGEST_RUN = 16
"""Brackets that may open in a row, without a word between them; eight occur."""
END = "</s>"


def allowed_symbols(
    vocabulary: Sequence[str], written: Sequence[str], leaves: Sequence[str | None], limit: int
) -> set[str]:
    """The symbols of the vocabulary, or END, that may follow those written so far.

    `leaves` has for each word the leaf that must be written for it, or None where any leaf may be. An output has at
    most `limit` symbols, END included.
    """
    labels = list[str]()  # of the brackets that are open
    run = used = 0
    for symbol in written:
        run = run + 1 if opens(symbol) else 0
        if opens(symbol):
            labels.append(symbol[1:])
        elif closes(symbol):
            labels.pop()
        else:
            used += 1
    remaining = len(leaves) - used
    spare = limit - len(written) - (remaining + len(labels) + 1)
    allowed = {END} if not remaining and not labels else set()
    for symbol in vocabulary:
        if opens(symbol):
            # One token to open it and one to close it.
            possible = remaining > 0 and spare >= 2 and len(labels) < DEEPEST and run < LONGEST_RUN
        elif closes(symbol):
            possible = bool(labels) and run == 0 and labels[-1] == symbol[1:]
        else:
            possible = remaining > 0 and leaves[used] in (None, symbol)
        if possible:
            allowed.add(symbol)
    return allowed
