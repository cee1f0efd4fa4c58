"""The same comparison on a GPU, with the peers that are installed there: see __main__.py."""
