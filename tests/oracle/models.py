"""What the packages gguf and safetensors read of the model files in the extra data: the oracle of the readers in Rust.

python3 tests/oracle/models.py --write      # write expected/model-files.json again
"""

import json
import struct
import sys

import raw

EXPECTED = raw.EXPECTED / "model-files.json"


def ggml_types():
    from gguf import GGML_QUANT_SIZES

    return [[kind.value, kind.name.lower(), *GGML_QUANT_SIZES[kind]] for kind in sorted(GGML_QUANT_SIZES)]


def gguf_tensors(path):
    from gguf import GGUFReader

    reader = GGUFReader(path)
    return [
        [t.name, t.tensor_type.name.lower(), [int(n) for n in t.shape], int(t.n_bytes), int(t.data_offset)]
        for t in reader.tensors
    ]


def safetensors_tensors(path):
    from safetensors import deserialize

    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    # The library has checked the file; the offsets are those of its header.
    rows = []
    for name, view in deserialize(data):
        begin = header[name]["data_offsets"][0]
        rows.append([name, view["dtype"].lower(), list(reversed(view["shape"])), len(view["data"]), begin])
    return sorted(rows, key=lambda row: (row[4], row[3], row[0]))


def figures():
    out = {"ggml_types": ggml_types(), "gguf": {}, "safetensors": {}}
    for folder, read in (("gguf", gguf_tensors), ("safetensors", safetensors_tensors)):
        for path in sorted((raw.EXTRA / folder).glob("*")):
            if path.name.startswith("broken__"):
                continue
            try:
                out[folder][path.name] = read(path)
            except Exception as refused:  # the packages raise many kinds
                print(f"{path.name}: {refused}", file=sys.stderr)
    return out


if __name__ == "__main__":
    values = figures()
    if "--write" in sys.argv:
        lines = json.dumps(values, indent=None, separators=(",", ":")).replace('],["', '],\n["')
        EXPECTED.write_text(lines + "\n", encoding="utf-8")
    else:
        print(json.dumps(values))
