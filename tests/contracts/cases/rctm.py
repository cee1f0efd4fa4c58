SIZES = {"width": 11, "maximum_length": 41}

VARIANTS = {
    "RCTM II": {},
    "RCTM II, other lengths": {"length_ratio": 1.37, "ngram": 2},
    "RCTM II, shorter targets": {"length_ratio": 0.6, "ngram": 7},
    "RCTM I": {"source": "sentence"},
    "decoder alone": {"source": "none"},
}
