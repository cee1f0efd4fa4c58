SIZES = {"width": 23, "embedding_width": 19, "window": 3}

VARIANTS = {
    "paper": {},
    "key-value": {"reads": "key-value"},
    "attention": {"reads": "attention", "layers": 2},
    "4-gram": {"reads": "ngram", "order": 4},
    "bigram": {"reads": "ngram", "order": 2},
    "window beyond the sentence": {"window": 23},
    "general score": {"score": "general", "window": 2},
    "location score": {"score": "location"},
}
