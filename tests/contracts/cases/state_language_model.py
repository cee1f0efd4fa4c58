SIZES = {"layers": 2, "width": 14, "heads": 2, "inner_width": 19, "mini_batch": 5, "maximum_length": 41}

VARIANTS = {
    "weights": {},
    "plain weights": {"inner": "plain"},
    "one by one": {"mini_batch": 1, "heads": 1},
    "vector": {"state": "vector"},
    "list": {"state": "list", "convolution": 1},
}
