SIZES = {"layers": 2, "width": 21, "heads": 3, "inner_width": 37}

VARIANTS = {
    "paper": {},
    "pre-norm": {"norm": "pre", "positions": "learned"},
    "window": {"attention_window": 2},
    "cosine": {"score": "cosine"},
}
