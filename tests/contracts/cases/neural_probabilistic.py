SIZES = {"order": 4, "width": 11, "embedding_width": 5}

VARIANTS = {"paper": {}, "direct links": {"direct_links": True}, "bigram": {"order": 2}}
