"""Builds the word table of `models/fast/retriever` from the sentence encoder of `models/default/retriever`.

For maintainers. Users and the continuous integration never run it: its outputs are committed, and a test recomputes
their digests and reference embeddings.

    python3 -m venv venv && venv/bin/pip install -r models/build/requirements.txt
    venv/bin/python models/build/fast.py DATA_FOLDER OUT_FOLDER

The vector of a text is the sum of the vectors of its words, scaled to length 1. The vectors of the words are a ridge
regression from word counts, divided by the root of their number, to the vectors that the sentence encoder gives.

Input: DATA_FOLDER with Schema-Guided Dialogue (train), BANKING77 (train) and Open English WordNet (example sentences);
the FIT fold of the shipped service desk, as `models/default/model_card.json` names it; the shipped encoder.
Output: OUT/retriever (the table as int8, its words, router_model.json), OUT/fast.json (digests of what went in and came
out, held-out cosine) and OUT/fast-reference-embeddings.json. The sentence encoder rounds a little differently from one processor to
another, so another machine may give other digests.
"""

import csv
import gzip
import hashlib
import json
import os
import re
import sys
import unicodedata
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Sums of several threads have another order, and so other digits.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from scipy import sparse
from tokenizers import Tokenizer

ROOT = Path(__file__).resolve().parents[2]
TEACHER = ROOT / "models" / "default" / "retriever"
VERSION = "words-256-int8-1"
WORDS, DIMENSIONS, RIDGE, STEPS = 30_000, 256, 0.5, 60
MAX_TOKENS = 64
# One text of this many is left out of the fit, to measure the cosine with the sentence encoder.
HELD_OUT = 50
REFERENCE_TEXTS = [
    "reset my password",
    "please cancel order 4711, I ordered twice",
    "What's the weather like in Paris tomorrow?",
    "book a table for four at 7pm",
    "transfer $250 from checking to savings",
    "Café déjà vu, naïve résumé",
]


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def words_of(text):
    """Words of a text as `wordsOf` of src/router/retrieval/words.ts gives them, normaliser words-3."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c)[0] != "M").lower()
    plain = re.sub("['’‘`]", "", plain)
    kept = []
    for c in plain:
        kind = unicodedata.category(c)[0]
        kept.append("0" if kind == "N" else c if kind == "L" or c in "$€£" else " ")
    return "".join(kept).split()


def service_desk_texts():
    """Requests of the FIT fold: rows of its workflows and of its groups of out-of-scope requests."""
    card = json.loads((ROOT / "models" / "default" / "model_card.json").read_text())
    clusters = set(card["verifier_fitted_on"]["service_desk_workflows"])
    rows = [json.loads(line) for line in (ROOT / "datasets" / "service-desk" / "requests.jsonl").open()]
    cluster = lambda row: f"workflow:{row['workflow_id']}" if row["workflow_id"] else f"group:{row.get('group_id')}"
    return [row["text"] for row in rows if cluster(row) in clusters]


def training_files(data):
    return {
        "sgd/data.jsonl": data / "sgd" / "data.jsonl",
        "banking77/raw/train.csv": data / "banking77" / "raw" / "train.csv",
        "wordnet/synsets.jsonl.gz": data / "wordnet" / "synsets.jsonl.gz",
        "service-desk/requests.jsonl": ROOT / "datasets" / "service-desk" / "requests.jsonl",
        "teacher/model.onnx": TEACHER / "model.onnx",
        "teacher/tokenizer.json": TEACHER / "tokenizer.json",
    }


def training_texts(files):
    """Distinct texts of each source, in the order of the files."""
    dialogues = [json.loads(line) for line in files["sgd/data.jsonl"].open()]
    with files["banking77/raw/train.csv"].open(newline="") as file:
        banking = [row["text"] for row in csv.DictReader(file)]
    with gzip.open(files["wordnet/synsets.jsonl.gz"], "rt") as file:
        sentences = [text for line in file for text in json.loads(line)["examples"]]
    return {
        "sgd": list(dict.fromkeys(row["text"] for row in dialogues if row["split"] == "train")),
        "banking77": list(dict.fromkeys(banking)),
        "service-desk": list(dict.fromkeys(service_desk_texts())),
        "wordnet": list(dict.fromkeys(sentences)),
    }


def teacher_vectors(texts, out):
    """Vectors of the sentence encoder, one text a run; shape (texts, 384). OUT keeps them for the next run."""
    kept = out / f"sentence-vectors-{sha256(TEACHER / 'model.onnx')[:8]}.npz"
    known = {}
    if kept.exists():
        with np.load(kept) as stored:
            known = dict(zip(json.loads(stored["texts"].tobytes()), stored["vectors"]))
    tokenizer = Tokenizer.from_file(str(TEACHER / "tokenizer.json"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(TEACHER / "model.onnx"), options, providers=["CPUExecutionProvider"])
    ids = lambda text: np.array([tokenizer.encode(text).ids[:MAX_TOKENS]], np.int64)
    missing = [text for text in texts if text not in known]
    with ThreadPoolExecutor(2) as threads:
        found = threads.map(lambda text: session.run(None, {"input_ids": ids(text)})[0][0], missing)
        known.update(zip(missing, found))
    vectors = np.stack([known[text] for text in texts])
    np.savez(kept, texts=np.frombuffer(json.dumps(texts).encode(), np.uint8), vectors=vectors)
    return vectors


def word_counts(texts, vocabulary):
    """Counts of the known words of each text divided by the root of their number; shape (texts, words)."""
    place = {word: at for at, word in enumerate(vocabulary)}
    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        counts = Counter(place[word] for word in words_of(text) if word in place)
        scale = 1 / np.sqrt(max(1, sum(counts.values())))
        for column, count in counts.items():
            rows.append(row)
            columns.append(column)
            values.append(count * scale)
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(texts), len(vocabulary)))


def ridge(counts, targets):
    """Minimises |counts W - targets|² + RIDGE |W|² by conjugate gradients, all columns side by side."""
    normal = (counts.T @ counts + RIDGE * sparse.identity(counts.shape[1])).tocsr()
    residual = counts.T @ targets
    weights = np.zeros_like(residual)
    direction, squares = residual.copy(), (residual**2).sum(0)
    for _ in range(STEPS):
        image = normal @ direction
        step = squares / (direction * image).sum(0)
        weights += step * direction
        residual -= step * image
        previous, squares = squares, (residual**2).sum(0)
        direction = residual + squares / previous * direction
    return weights


def principal_axes(vectors):
    """The DIMENSIONS directions that keep most of the cosines; shape (384, DIMENSIONS)."""
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    axes = axes[:, ::-1][:, :DIMENSIONS]
    return axes * np.sign(axes[np.abs(axes).argmax(0), np.arange(DIMENSIONS)])


def table_graph(rows, scales):
    """`ids` [n, 1] -> `vectors` [n, DIMENSIONS]: rows of int8, each with a scale."""
    constants = [
        numpy_helper.from_array(rows, "table"),
        numpy_helper.from_array(scales[:, None], "scales"),
        numpy_helper.from_array(np.array([-1], np.int64), "flat"),
    ]
    nodes = [
        helper.make_node("Cast", ["ids"], ["whole"], to=TensorProto.INT64),
        helper.make_node("Reshape", ["whole", "flat"], ["list"]),
        helper.make_node("Gather", ["table", "list"], ["rounded"]),
        helper.make_node("Cast", ["rounded"], ["wide"], to=TensorProto.FLOAT),
        helper.make_node("Gather", ["scales", "list"], ["scale"]),
        helper.make_node("Mul", ["wide", "scale"], ["vectors"]),
    ]
    graph = helper.make_graph(
        nodes,
        "word_vectors",
        [helper.make_tensor_value_info("ids", TensorProto.FLOAT, ["n", 1])],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["n", rows.shape[1]])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="sluice")
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def description():
    """`router_model.json`: a table with the settings of the default retriever."""
    default = json.loads((TEACHER / "router_model.json").read_text())
    shared = ("capability", "head", "normaliser", "prefix", "role", "schema_version", "similarity")
    table = {
        "dimensions": DIMENSIONS,
        "graph": "vectors.onnx",
        "kind": "table",
        "version": VERSION,
        "vocabulary": "vocabulary.txt",
    }
    return json.dumps({name: default[name] for name in shared} | table, sort_keys=True, separators=(",", ":"))


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def mean_cosine(counts, table, targets):
    """With targets of length 1 in all their dimensions, of which the axes keep a part."""
    return float((unit(counts @ table) * targets).sum(1).mean())


def main(data, out):
    retriever = out / "retriever"
    retriever.mkdir(parents=True, exist_ok=True)
    files = training_files(data)
    sources = training_texts(files)
    texts = list(dict.fromkeys(text for source in sources.values() for text in source))
    counted = Counter(word for text in texts for word in words_of(text))
    vocabulary = sorted(counted, key=lambda word: (-counted[word], word))[:WORDS]
    held_out = np.array([int(hashlib.sha256(text.encode()).hexdigest(), 16) % HELD_OUT == 0 for text in texts])
    vectors = teacher_vectors(texts + vocabulary, out).astype(np.float64)
    sentences, single = vectors[: len(texts)], vectors[len(texts) :]
    axes = principal_axes(sentences[~held_out])
    counts = word_counts(texts, vocabulary)
    # Each word alone is a text too: it holds a word that few sentences have to what it means.
    fitted = sparse.vstack([counts[~held_out], word_counts(vocabulary, vocabulary)]).tocsr()
    table = ridge(fitted, np.vstack([sentences[~held_out], single]) @ axes)
    scales = (np.abs(table).max(1) / 127).astype(np.float32)
    rows = np.rint(table / scales[:, None]).astype(np.int8)
    onnx.save(table_graph(rows, scales), retriever / "vectors.onnx")
    (retriever / "vocabulary.txt").write_text("".join(f"{word} {counted[word]}\n" for word in vocabulary))
    (retriever / "router_model.json").write_text(description())
    shipped = rows.astype(np.float32) * scales[:, None]
    report = {
        "source": "the sentence encoder of models/default/retriever",
        "in": {name: sha256(path) for name, path in files.items()},
        "out": {name: sha256(retriever / name) for name in ("vectors.onnx", "vocabulary.txt")},
        "texts": {name: len(found) for name, found in sources.items()},
        "texts_held_out": int(held_out.sum()),
        "words": len(vocabulary),
        "dimensions": DIMENSIONS,
        "held_out_cosine": {
            "as_fitted": mean_cosine(counts[held_out], table, sentences[held_out] @ axes),
            "as_shipped": mean_cosine(counts[held_out], shipped, sentences[held_out] @ axes),
        },
    }
    reference = unit(word_counts(REFERENCE_TEXTS, vocabulary) @ shipped.astype(np.float64))
    (out / "fast-reference-embeddings.json").write_text(
        json.dumps({"texts": REFERENCE_TEXTS, "vectors": reference.round(6).tolist()}) + "\n"
    )
    (out / "fast.json").write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
