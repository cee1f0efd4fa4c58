import resource
import subprocess
import sys

import torch

from saccade.training.memory import peak_memory

PROGRAM = """
import torch
from saccade.training.memory import peak_memory
before = peak_memory(torch.device("cpu"))
held = torch.ones(3, 2**24)
print(peak_memory(torch.device("cpu")) - before)
"""


def test_the_peak_of_a_process_grows_with_what_it_holds():
    grown = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    assert 0.8 * 3 * 2**26 < int(grown) < 1.5 * 3 * 2**26


def test_the_peak_is_in_bytes():
    assert peak_memory(torch.device("cpu")) >= resource.getpagesize() * 1000
