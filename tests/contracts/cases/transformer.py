SIZES = {"encoder_layers": 2, "decoder_layers": 3, "width": 21, "heads": 3, "inner_width": 37}

VARIANTS = {
    "paper": {},
    "pre-norm": {"norm": "pre"},
    "learned positions": {"positions": "learned"},
    "tensor2tensor": {
        "norm": "pre",
        "positions": "tensor2tensor",
        "attention_bias": True,
        "start_of_target": "zero",
        "target_space_rows": 2,
        "initialisation": "tensor2tensor",
    },
    "row B": {"key_width": 5, "value_width": 11},
    "window": {"attention_window": 2},
    "untied": {"tie": "none"},
    "tied target": {"tie": "target"},
    "tied embeddings": {"tie": "embeddings"},
    "additive": {"score": "additive"},
    "concat": {"score": "concat"},
    "dot": {"score": "dot"},
    "general": {"score": "general"},
    "biased general": {"score": "biased-general", "key_width": 5},
    "activated general": {"score": "activated-general"},
    "cosine": {"score": "cosine", "attention_window": 2},
    "location": {"score": "location", "maximum_length": 41},
}
