"""Files of other programs that hold something else than dense numbers, or are no files, are refused in one line."""

import os
import warnings
import zipfile

import pytest
import torch
from safetensors.torch import save_file

from saccade.data.tokenizer import LARGEST_MODEL, Tokenizer
from saccade.errors import FormatError
from saccade.interop.checkpoint_files import read_npz, read_object, read_weights
from saccade.interop.marian_import import read_marian
from saccade.interop.marian_yaml import read_yaml

NUMBERS = torch.arange(15.0).reshape(3, 5)


def made(make):
    """What torch makes, without its warnings that such tensors are new or old."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


def refused(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FormatError) as problem:
            read_weights(folder)
    assert "\n" not in str(problem.value)
    return str(problem.value)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("pickled", [False, True])
def test_floating_point_numbers_are_read(tmp_path, kind, pickled):
    tensors = {"a": NUMBERS.to(kind), "b": NUMBERS[0].to(kind, copy=True)}
    if pickled:
        torch.save({**tensors, "b": torch.nn.Parameter(tensors["b"])}, tmp_path / "pytorch_model.bin")
    else:
        save_file(tensors, tmp_path / "model.safetensors")
    found = read_weights(tmp_path)
    assert all(torch.equal(found[name], tensor) for name, tensor in tensors.items())


@pytest.mark.parametrize("kind", [torch.int64, torch.uint8, torch.bool, torch.complex64, torch.float8_e4m3fn])
@pytest.mark.parametrize("pickled", [False, True])
def test_other_numbers_are_no_weights(tmp_path, kind, pickled):
    tensors = {"a": NUMBERS, "b": NUMBERS.to(kind)}
    if pickled:
        torch.save(tensors, tmp_path / "pytorch_model.bin")
    else:
        save_file(tensors, tmp_path / "model.safetensors")
    assert "'b' must be a dense tensor of float16, bfloat16, float32 or float64, but is strided, cpu, " in (
        refused(tmp_path)
    )


ODD = {
    "sparse_coo": lambda: NUMBERS.to_sparse(),
    "sparse_csr": lambda: NUMBERS.to_sparse_csr(),
    "qint8": lambda: torch.quantize_per_tensor(NUMBERS, 0.1, 0, torch.qint8),
    "meta": lambda: NUMBERS.to("meta"),
    "nested": lambda: torch.nested.nested_tensor([NUMBERS]),
    "larger than": lambda: torch.zeros(1, dtype=torch.float16).expand(1 << 40),
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("zipped", [True, False])
def test_a_tensor_that_is_no_array_of_its_numbers_is_named(tmp_path, kind, zipped):
    tensors = {"a": NUMBERS, "b\nc": made(ODD[kind])}
    torch.save(tensors, tmp_path / "pytorch_model.bin", _use_new_zipfile_serialization=zipped)
    said = refused(tmp_path)
    if zipped or kind != "nested":  # torch cannot read its older format with such a tensor
        assert "'b\\nc' must be a dense tensor" in said
        assert kind in said


def test_a_script_is_refused_without_a_warning(tmp_path):
    class Same(torch.nn.Module):
        def forward(self, x):
            return x

    made(lambda: torch.jit.script(Same()).save(str(tmp_path / "pytorch_model.bin")))
    assert "but packs them" in refused(tmp_path)


def test_a_packed_archive_is_refused_before_it_is_unpacked(tmp_path):
    torch.save({"a": torch.zeros(1000)}, tmp_path / "plain.bin")
    with (
        zipfile.ZipFile(tmp_path / "plain.bin") as plain,
        zipfile.ZipFile(tmp_path / "pytorch_model.bin", "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for name in plain.namelist():
            packed.writestr(name, plain.read(name))
    assert "must hold its tensors as they are, as `torch.save` writes them, but packs them" in refused(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize("read", [Tokenizer.read_model, read_yaml, read_npz])
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        with pytest.raises(FormatError, match="but is a named pipe"):
            read(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_description_of_marian_that_is_no_file_is_not_passed_over(tmp_path):
    (tmp_path / "model.npz").write_bytes(b"")
    os.mkfifo(tmp_path / "decoder.yml")
    with pytest.raises(FormatError, match=r"decoder\.yml` must be a file, but is a named pipe"):
        read_marian(tmp_path)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no such device")
@pytest.mark.parametrize("read", [Tokenizer.read_model, read_yaml, read_npz])
def test_a_device_is_refused_instead_of_read(tmp_path, read):
    (tmp_path / "link").symlink_to("/dev/zero")
    with pytest.raises(FormatError, match="but is a device"):
        read(tmp_path / "link")


def test_a_tokenizer_of_any_size_is_not_read(tmp_path):
    with (tmp_path / "source.spm").open("wb") as file:
        file.truncate(LARGEST_MODEL + 1)
    with pytest.raises(FormatError, match=r"at most 536,870,912 bytes, but has 536,870,913\."):
        Tokenizer.read_model(tmp_path / "source.spm")


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 295\n"


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin", "model.npz", "source.spm", "vocab.json"])
def test_what_git_lfs_puts_in_the_place_of_a_file_is_named(tmp_path, name):
    (tmp_path / name).write_bytes(POINTER)
    read = {"model.npz": read_npz, "source.spm": Tokenizer.read_model, "vocab.json": read_object}.get(name)
    with pytest.raises(FormatError, match="is what Git LFS puts in its place. Run `git lfs pull`"):
        read(tmp_path / name) if read else read_weights(tmp_path)


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
def test_weights_that_are_a_link_to_nothing_are_named(tmp_path, name):
    (tmp_path / name).symlink_to("../../blobs/gone")
    assert f"{name}` must be a file, but is a link that leads nowhere" in refused(tmp_path)


@pytest.mark.parametrize("name", ["tf_model.h5", "rust_model.ot", "model.fp16.safetensors"])
def test_weights_of_another_framework_are_named(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    assert f"but has only {name}. Download one of those." in refused(tmp_path)
