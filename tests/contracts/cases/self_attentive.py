SIZES = {"width": 5, "embedding_width": 3, "attention_width": 7, "hops": 2, "inner_width": 11}

VARIANTS = {
    "paper": {},
    "plain norm": {"penalty_norm": "plain"},
    "one hop, no penalty": {"hops": 1, "penalty": 0.0},
}
