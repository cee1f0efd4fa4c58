"""The toy run for every test of this room."""

import importlib.util
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("toy.py")


@pytest.fixture(scope="session")
def toy():
    specification = importlib.util.spec_from_file_location("toy", PROGRAM)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def one_thread():
    """Small tensors gain nothing from threads, and bits are compared between processes that must agree on them."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def start():
    """Starts the toy run in a process of its own, or in several that share it."""

    def start(folder, config=None, options=None, rank=0, size=1, port=0):
        world = {"RANK": str(rank), "WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        command = [
            sys.executable,
            "-W",
            "error",
            str(PROGRAM),
            str(folder),
            json.dumps(config or {}),
            json.dumps(options or {}),
        ]
        environment = {**os.environ, **(world if size > 1 else {})}
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return start


@pytest.fixture(scope="session")
def together(start):
    """The toy run in several processes at once; what the first of them says at the end."""

    def together(folder, config=None, options=None, size=2):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            port = listener.getsockname()[1]
        processes = [start(folder, config, options, rank, size, port) for rank in range(size)]
        results = [process.communicate(timeout=300) for process in processes]
        for process, (_, errors) in zip(processes, results, strict=True):
            assert process.returncode == 0, errors
        return json.loads(results[0][0])

    return together


@pytest.fixture(scope="session")
def losses():
    """Step, tokens and both losses of every step that the journal tells."""
    from saccade.training.journal import read_journal

    def losses(folder):
        return [
            (event["step"], event["tokens"], event["loss"], event["nll"])
            for event in read_journal(folder / "journal.jsonl")
            if event["event"] == "train"
        ]

    return losses
