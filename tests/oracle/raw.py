"""Where raw recordings and bundles are, and how they are opened. Knows nothing of what they mean."""

import gzip
import json
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXTRA = Path(os.environ.get("TOKENPATH_EXTRA_DATA", ROOT.parent / "shared" / "data"))
GGUF = Path(os.environ["TOKENPATH_GGUF_DIR"]) if "TOKENPATH_GGUF_DIR" in os.environ else None
EXPECTED = Path(__file__).resolve().parent / "expected"


def llamacpp(name):
    """The path of a raw llama.cpp recording, or None when there is none."""
    path = EXTRA / "llamacpp" / name
    return path if path.exists() else None


def load(path):
    """A JSON document, plain or gzip."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def lines(path):
    """The documents of a file of JSON lines."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def bundle(case):
    """The bundle of a fixture."""
    return load(ROOT / "fixtures" / case / "run.json.gz")
