import gc
import subprocess
import sys

PROGRAM = """
import gc
from saccade.cli.importing import without_garbage_collection

with without_garbage_collection():
    assert not gc.isenabled()
    import torch
assert gc.isenabled()
assert gc.get_freeze_count() > 10_000
frozen = gc.get_freeze_count()
with without_garbage_collection():
    assert gc.isenabled()
assert gc.get_freeze_count() == frozen
"""


def test_nothing_is_collected_while_torch_is_imported_for_the_first_time():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_where_torch_is_loaded_nothing_changes(saccade):
    frozen = gc.get_freeze_count()
    assert saccade("train", "no-such-recipe").code == 2
    assert gc.isenabled()
    assert gc.get_freeze_count() == frozen
