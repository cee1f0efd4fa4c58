"""Whether this processor multiplies matrices of bfloat16 several times as fast as those of float32.

It must have been built for it: Intel's since 2023 multiply whole tiles of such numbers (AMX; measured: four to six
times as fast). Others convert them back and forth, and are slower.
"""

import torch


def multiplies_tiles() -> bool:
    """Whether bfloat16 pays here."""
    capabilities = getattr(torch.cpu, "get_capabilities", None)  # not every torch can tell
    return capabilities is not None and bool(capabilities().get("amx_bf16"))
