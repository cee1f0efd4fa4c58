SIZES = {"layers": 3, "width": 21, "heads": 3, "inner_width": 37}

VARIANTS = {
    "paper": {},
    "pre-norm": {"norm": "pre"},
    "learned positions": {"positions": "learned"},
    "tensor2tensor": {"positions": "tensor2tensor", "attention_bias": True, "initialisation": "tensor2tensor"},
    "row B": {"key_width": 5, "value_width": 11},
    "window": {"attention_window": 2},
    "untied": {"tie": "none"},
    "additive": {"score": "additive"},
    "location": {"score": "location", "maximum_length": 41},
}
