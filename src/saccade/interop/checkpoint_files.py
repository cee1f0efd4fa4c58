"""The weights of other programs, read as numbers and nothing else.

    model.safetensors     Hugging Face's own format: a header of names and shapes, then bytes
    pytorch_model.bin     what `torch.save` wrote: a pickle, of which only tensors and containers are read
    model.npz             numpy's archive, as Marian writes it

Large models are cut into several files of the first two formats, and an index says which tensor stands in which file
(`model.safetensors.index.json`, `pytorch_model.bin.index.json`).

A pickle is a program. `torch.load(weights_only=True)` runs none of it: it knows the few instructions that put tensors
into dictionaries, and refuses a file that holds any other. It also knows tensors that are no array of numbers in the
file: sparse, quantized, nested, or one number seen as a million. Those are refused by name.
"""

import json
import math
import os
import pickle
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from saccade.errors import FormatError
from saccade.file_contents import check_file, read_file, unreadable
from saccade.json_files import parse_json
from saccade.memory import ran_out_of_memory
from saccade.tensor_files import read_tensor_file

SAFETENSORS, PICKLED = "model.safetensors", "pytorch_model.bin"
_OTHER_WEIGHTS = (".h5", ".msgpack", ".ot", ".onnx", ".safetensors", ".bin", ".gguf")
"""What the files of other frameworks end in, and what is stored in another precision."""
_NUMBERS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
Array = np.ndarray[Any, np.dtype[Any]]
AGAIN = "Download it again."
_LARGEST_TEXT = 1 << 28
"""More bytes than any description or vocabulary has: 256 MiB."""
MOST_UNPACKED = 20
"""How many times its size an archive of arrays may unpack to."""


def read_weights(folder: Path) -> dict[str, Tensor]:
    """The tensors of a downloaded model, by name: of safetensors where they are there, else of the pickle.

    All are dense and of floating-point numbers.
    """
    for name in (SAFETENSORS, PICKLED):
        path, index = folder / name, folder / f"{name}.index.json"
        if path.is_file():
            return _read_file(path)
        if index.is_file():
            return _read_parts(index)
    for name in (SAFETENSORS, PICKLED):
        if os.path.lexists(folder / name):
            check_file(folder / name, AGAIN)
    others = sorted(path.name for path in folder.iterdir() if path.suffix in _OTHER_WEIGHTS)
    raise FormatError(
        f"`{folder}` must have {SAFETENSORS} or {PICKLED}, but has "
        + (f"only {', '.join(others):.80}. Download one of those." if others else f"neither. {AGAIN}")
    )


def _read_file(path: Path) -> dict[str, Tensor]:
    check_file(path, AGAIN)
    return _all_plain(read_tensor_file(path) if path.suffix == ".safetensors" else read_pickled(path), path)


def _read_parts(index: Path) -> dict[str, Tensor]:
    """The tensors of the files beside an index, which must hold what it says and nothing else."""
    places = read_object(index).get("weight_map")
    if not isinstance(places, dict) or not all(_is_beside(name, index) for name in places.values()):
        raise FormatError(
            f"`{index}` must name for every tensor a file beside it, in `weight_map`, but does not. {AGAIN}"
        )
    found: dict[str, Tensor] = {}
    for name in sorted(set(places.values())):
        path = index.with_name(name)
        tensors = _read_file(path)
        listed = {tensor for tensor, place in places.items() if place == name}
        # Of tied tensors the index may name several and the file hold one; what is really missing is missed later.
        if others := tensors.keys() - listed:
            raise FormatError(
                f"`{path}` must hold the tensors that {index.name} names, but also holds {min(others)!r:.80}. {AGAIN}"
            )
        found |= tensors
    return found


def _is_beside(name: object, index: Path) -> bool:
    """Whether this is the name of a part: of the format that the index is of, and in no other folder."""
    ending = Path(index.name.removesuffix(".index.json")).suffix
    return isinstance(name, str) and name.endswith(ending) and Path(name).name == name and "\0" not in name


def read_pickled(path: Path) -> dict[str, Tensor]:
    """The tensors of a file that `torch.save` wrote; nothing in it is run."""
    try:
        _refuse_packed(path)
        with warnings.catch_warnings():  # of kinds of tensors that are refused below
            warnings.simplefilter("ignore")
            found: Any = torch.load(path, map_location="cpu", weights_only=True)
    except FormatError:
        raise
    except OSError as problem:
        raise unreadable(path, problem) from problem
    except pickle.UnpicklingError as problem:
        raise FormatError(
            f"`{path}` must hold tensors and nothing else, but asks to run other code, or is damaged. It was not run. "
            f"Use {SAFETENSORS}, or a copy that you trust."
        ) from problem
    except Exception as problem:  # the readers of zip archives and of pickles fail in many ways on damaged files
        if ran_out_of_memory(problem):
            raise
        raise FormatError(f"`{path}` must be what `torch.save` wrote, but is damaged. {AGAIN}") from problem
    if not isinstance(found, dict) or not all(isinstance(value, Tensor) for value in found.values()):
        raise FormatError(f"`{path}` must hold a dictionary of tensors, but holds something else. {AGAIN}")
    return {str(name): tensor for name, tensor in found.items()}


def _refuse_packed(path: Path) -> None:
    """`torch.save` writes its archive without packing; a few packed bytes can unpack to any size."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    stored = all(member.compress_size == member.file_size for member in members)
    if not stored or sum(member.file_size for member in members) > path.stat().st_size:
        raise FormatError(f"`{path}` must hold its tensors as they are, as `torch.save` writes them, but packs them.")


def _all_plain(tensors: dict[str, Tensor], path: Path) -> dict[str, Tensor]:
    for name, tensor in tensors.items():
        if kind := _odd_kind(tensor):
            raise FormatError(
                f"`{path}`: {name!r:.80} must be a dense tensor of float16, bfloat16, float32 or float64, but is "
                f"{kind}."
            )
    return tensors


def _odd_kind(tensor: Tensor) -> str | None:
    """What a tensor is other than an array of numbers that are all there; None where it is one."""
    if tensor.is_nested:  # asked first, since such a tensor answers some of the other questions with an error
        return "nested"
    if tensor.layout != torch.strided or tensor.device.type != "cpu" or tensor.dtype not in _NUMBERS:
        return ", ".join(str(one) for one in (tensor.layout, tensor.device, tensor.dtype)).replace("torch.", "")
    if tensor.numel() * tensor.itemsize > tensor.untyped_storage().nbytes():
        return "larger than the numbers that are stored for it"
    return None


def read_npz(path: Path) -> dict[str, Array]:
    """The arrays of an archive; objects, which would be pickles, are refused, and so is what unpacks to too much.

    An archive of a few bytes can unpack to any size. Weights are noise, which hardly packs.
    """
    try:
        check_file(path, AGAIN)
        with warnings.catch_warnings(), zipfile.ZipFile(path) as archive:
            warnings.simplefilter("ignore")  # of headers that an old numpy wrote
            members = archive.infolist()
            unpacked, packed = sum(member.file_size for member in members), path.stat().st_size
            if unpacked > MOST_UNPACKED * packed:
                raise FormatError(
                    f"`{path}` must unpack to at most {MOST_UNPACKED} times its {packed:,} bytes, but unpacks to "
                    f"{unpacked:,}."
                )
            names = [member.filename.removesuffix(".npy") for member in members]
            if len(set(names)) < len(names):
                raise FormatError(f"`{path}` must hold every array once, but holds two of one name. {AGAIN}")
            return {name: _array(archive, member) for name, member in zip(names, members, strict=True)}
    except OSError as problem:
        raise unreadable(path, problem, AGAIN) from problem
    except FormatError:
        raise
    except Exception as problem:  # the readers of zip archives and of arrays fail in many ways on damaged files
        if ran_out_of_memory(problem):
            raise
        raise FormatError(
            f"`{path}` must be an archive of arrays of numbers, but is damaged or holds something else. {AGAIN}"
        ) from problem


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Array:
    """One array, if what its header announces is what there is."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
        shape, _, kind = header(file)
        size = math.prod(shape) * kind.itemsize
        if kind.kind not in "fiu" or min(shape, default=0) < 0 or size != member.file_size - file.tell():
            raise ValueError(member.filename)
    with archive.open(member) as file:
        array: Array = np.lib.format.read_array(file, allow_pickle=False)
    return array


def read_object(path: Path) -> dict[str, Any]:
    """A JSON object that another program wrote."""
    content = read_file(path, _LARGEST_TEXT, AGAIN)
    try:
        found = parse_json(content)
    except (ValueError, json.JSONDecodeError) as problem:
        raise FormatError(f"`{path}` must be JSON, but is damaged. {AGAIN}") from problem
    if not isinstance(found, dict):
        raise FormatError(f"`{path}` must be a JSON object, but is a {type(found).__name__}. {AGAIN}")
    return found


def optional_object(path: Path) -> dict[str, Any]:
    """The same, or an empty one where there is nothing of that name."""
    return read_object(path) if os.path.lexists(path) else {}
