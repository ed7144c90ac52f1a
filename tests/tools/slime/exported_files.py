"""Two exports of one checkpoint, read as their users read them.

usage: exported_files.py FILE.safetensors FILE.npz SHA256
SHA256 is that of the values in model order. Exit codes: 0 as it should be, 1 not.
"""

import hashlib
import json
import pathlib
import struct
import sys
import zipfile

import numpy


def read_safetensors(path):
    """(tensors by name, metadata), by the format's own description."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header, data = json.loads(content[8:8 + length]), content[8 + length:]
    assert (8 + length) % 8 == 0, "the numbers are not aligned"
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, place in header.items():
        first, end = place["data_offsets"]
        assert place["dtype"] == "F32", place
        tensors[name] = numpy.frombuffer(data[first:end], "<f4").reshape(place["shape"])
    assert sum(tensor.nbytes for tensor in tensors.values()) == len(data)
    return tensors, metadata


def read_npz(path):
    with numpy.load(path, allow_pickle=False) as archive:
        tensors = {name: archive[name] for name in archive.files}
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert all(entry.compress_type == zipfile.ZIP_STORED for entry in archive.infolist())
        return tensors, json.loads(archive.comment)


def main(safetensors, npz, digest):
    one, metadata = read_safetensors(pathlib.Path(safetensors))
    two, comment = read_npz(pathlib.Path(npz))
    assert metadata == comment, (metadata, comment)
    assert metadata["job"] == "tiny" and metadata["iteration"] == "60", metadata
    assert metadata["epoch"] == "6" and 0 <= float(metadata["accuracy"]) <= 1, metadata
    assert metadata["producer"].startswith("slime "), metadata
    assert list(one) == list(two), (list(one), list(two))
    for name, tensor in one.items():
        assert two[name].dtype == numpy.float32 and numpy.array_equal(tensor, two[name]), name
    assert one["0.weight"].shape == (64, 256) and one["1.bias"].shape == (10,)
    assert numpy.any(one["0.weight.slot_0"]), "the momentum of a trained job is not all zero"
    values = [tensor for name, tensor in one.items() if ".slot_" not in name]
    assert len(values) == 4 and len(one) == 8, list(one)
    found = hashlib.sha256(b"".join(tensor.tobytes() for tensor in values)).hexdigest()
    assert found == digest, f"the values' SHA-256 is {found}, and the run said {digest}"


if __name__ == "__main__":
    main(*sys.argv[1:])
