"""Builds the word table of `models/fast/retriever`: an encoder of one layer that imitates the sentence encoder.

For maintainers; users and the continuous integration never run it.

    venv/bin/python models/build/table.py ENCODER_DIRECTORY CORPUS_DIRECTORY OUT_DIRECTORY

ENCODER_DIRECTORY is what `encoder.py` wrote, CORPUS_DIRECTORY holds open texts, one a line (`text/*.txt.gz`). The 30,000
most frequent words and 60,000 sentences are encoded; a sparse ridge regression from word counts, divided by the root of the
number of words, gives the vectors of the words. Output: OUT/vectors.onnx (int8), OUT/vocabulary.txt, OUT/table.json.
"""

import collections
import gzip
import hashlib
import json
import re
import sys
import unicodedata
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from scipy import sparse
from tokenizers import Tokenizer

WORDS, SENTENCES, DIMENSIONS, RIDGE, HELD_OUT = 30_000, 60_000, 256, 0.5, 3_000
DIALOGUE = ("chatterbot", "common-voice", "nlupp", "sgd-train", "taskmaster", "wellformed")
WORD = re.compile(r"(?:[^\W_]|[$€£])+")


def words_of(text):
    """The same as `wordsOf` of src/retrieval/words.ts."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.category(c).startswith("M")).lower()
    plain = re.sub(r"['’‘`]", "", plain)
    plain = "".join("0" if unicodedata.category(c).startswith("N") else c for c in plain)
    return WORD.findall(plain)


def corpus(folder):
    """Word counts of all texts, and sentences of 3 to 20 words, half of them from dialogues."""
    counts, spoken, written = collections.Counter(), [], []
    for path in sorted(Path(folder).glob("text/*.txt.gz")):
        with gzip.open(path, "rt", encoding="utf8") as lines:
            for line in lines:
                for sentence in re.split(r"(?<=[.?!])\s+", line.strip()):
                    words = words_of(sentence)
                    counts.update(words)
                    if 3 <= len(words) <= 20 and len(sentence) < 160:
                        (spoken if path.name.startswith(DIALOGUE) else written).append(sentence)
    draw = np.random.default_rng(1)
    take = lambda texts: [texts[i] for i in draw.permutation(len(texts))[: SENTENCES // 2]]
    return counts, take(sorted(set(spoken))) + take(sorted(set(written)))


def encoded(texts, folder):
    tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(Path(folder) / "model.onnx"), options, providers=["CPUExecutionProvider"])
    vectors = np.empty((len(texts), 384), np.float32)
    for place, text in enumerate(texts):
        ids = np.array([tokenizer.encode(text).ids[:64]], np.int64)
        vectors[place] = session.run(None, {"input_ids": ids})[0][0]
        if place % 10_000 == 0:
            print(place, file=sys.stderr, flush=True)
    return vectors


def ridge(x, y):
    """(X'X + RIDGE I) W = X'Y by conjugate gradients over all columns at once."""
    transposed = x.T.tocsr()
    apply = lambda w: transposed @ (x @ w) + RIDGE * w
    right = transposed @ y
    w = np.zeros_like(right)
    residual = right.copy()
    direction = residual.copy()
    norms = (residual**2).sum(0)
    for _ in range(60):
        image = apply(direction)
        step = norms / np.maximum((direction * image).sum(0), 1e-12)
        w += step * direction
        residual -= step * image
        after = (residual**2).sum(0)
        direction = residual + after / np.maximum(norms, 1e-12) * direction
        norms = after
    return w


def table_graph(vectors):
    """`rows` [n, 1] -> `vectors` [n, dimensions]."""
    scales = np.abs(vectors).max(1) / 127
    weights = np.round(vectors / np.maximum(scales, 1e-12)[:, None]).astype(np.int8)
    constant = lambda name, values: numpy_helper.from_array(values, name)
    nodes = [
        helper.make_node("Cast", ["rows"], ["row_ids"], to=TensorProto.INT64),
        helper.make_node("Gather", ["scales", "row_ids"], ["row_scales"]),
        helper.make_node("Reshape", ["row_ids", "flat"], ["flat_ids"]),
        helper.make_node("Gather", ["weights", "flat_ids"], ["row_weights"]),
        helper.make_node("Cast", ["row_weights"], ["row_values"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["row_values", "row_scales"], ["vectors"]),
    ]
    graph = helper.make_graph(
        nodes,
        "word_vectors",
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["batch", 1])],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", vectors.shape[1]])],
        [
            constant("weights", weights),
            constant("scales", scales.astype(np.float32)),
            constant("flat", np.array([-1], np.int64)),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="sluice")
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def main(encoder, folder, out):
    out.mkdir(parents=True, exist_ok=True)
    counts, sentences = corpus(folder)
    vocabulary = sorted(counts, key=lambda word: (-counts[word], word))[:WORDS]
    place = {word: row for row, word in enumerate(vocabulary)}
    texts = vocabulary + sentences
    teacher = encoded(texts, encoder)
    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        words = words_of(text)
        for word, count in collections.Counter(words).items():
            if word in place:
                rows.append(row)
                columns.append(place[word])
                values.append(count / np.sqrt(len(words)))
    x = sparse.csr_matrix((values, (rows, columns)), (len(texts), WORDS), np.float32)
    _, _, axes = np.linalg.svd(teacher[len(vocabulary) :: 4], full_matrices=False)
    target = teacher @ axes[:DIMENSIONS].T
    cosine = lambda a, b: float(((a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)).mean())
    order = np.random.default_rng(2).permutation(len(texts) - WORDS) + WORDS
    held = order[:HELD_OUT]
    fitted = np.ones(len(texts), bool)
    fitted[held] = False
    trial = ridge(x[fitted], target[fitted])
    held_out = cosine(np.asarray(x[held] @ trial) + 1e-9, target[held])
    vectors = ridge(x, target).astype(np.float32)
    onnx.save(table_graph(vectors), out / "vectors.onnx")
    (out / "vocabulary.txt").write_text("".join(f"{word} {counts[word]}\n" for word in vocabulary), encoding="utf8")
    sha256 = lambda name: hashlib.sha256((out / name).read_bytes()).hexdigest()
    report = {
        "teacher": hashlib.sha256((Path(encoder) / "model.onnx").read_bytes()).hexdigest(),
        "sentences": len(sentences),
        "held_out_cosine": round(held_out, 4),
        "out": {name: sha256(name) for name in ("vectors.onnx", "vocabulary.txt")},
    }
    (out / "table.json").write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
