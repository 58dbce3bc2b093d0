import { type PredictionFormat, predictionMappings } from "../../../eval/predictions/mappings.js";
import { noPrediction, predictionRuns } from "../../../eval/predictions/prediction-records.js";
import { readPredictions } from "../../../eval/predictions/read-predictions.js";
import { summarisePredictions } from "../../../eval/predictions/prediction-summary.js";
import { evaluateRecords } from "../../../eval/metrics/evaluate.js";
import { assert, rejects, test } from "../../support/test.js";
import { digestOf } from "../../support/score-cases.js";

const read = (format: PredictionFormat, file: string, content: string, by: readonly string[] = []) =>
  readPredictions(
    { file, bytes: Buffer.from(content) },
    { mapping: predictionMappings[format], by: by.map((column) => [column]) },
  );
const lines = (...rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join("\n");

interface Expected {
  readonly predicted: string | null;
  readonly confidence: number;
  readonly others?: number;
}

const outputs: readonly (readonly [PredictionFormat, string, string, Expected])[] = [
  [
    "rasa",
    "intent_errors.json",
    JSON.stringify([{ text: "hi", gold: "x", intent: "greet", intent_prediction: { name: "bye", confidence: 0.61 } }]),
    { predicted: "bye", confidence: 0.61 },
  ],
  [
    "rasa-http",
    "out.jsonl",
    lines({
      gold: "greet",
      intent: { name: "greet", confidence: 0.9 },
      intent_ranking: [
        { name: "greet", confidence: 0.9 },
        { name: "bye", confidence: 0.05 },
      ],
    }),
    { predicted: "greet", confidence: 0.9, others: 1 },
  ],
  [
    "dialogflow",
    "out.jsonl",
    lines({
      gold: "greet",
      queryResult: { intent: { displayName: "Default Fallback Intent" }, intentDetectionConfidence: 1 },
    }),
    { predicted: null, confidence: 0 },
  ],
  [
    "luis",
    "out.jsonl",
    lines({
      gold: "greet",
      prediction: { topIntent: "greet.hi", intents: { "greet.hi": { score: 0.7 }, None: { score: 0.1 } } },
    }),
    { predicted: "greet.hi", confidence: 0.7 },
  ],
  [
    "luis-v2",
    "out.jsonl",
    lines({
      gold: "greet",
      topScoringIntent: { intent: "greet", score: 0.4 },
      intents: [{ intent: "None", score: 0.3 }],
    }),
    { predicted: "greet", confidence: 0.4, others: 0 },
  ],
  [
    "lex",
    "out.jsonl",
    lines({
      gold: "greet",
      interpretations: [
        { intent: { name: "greet" }, nluConfidence: { score: 0.8 } },
        { intent: { name: "FallbackIntent" } },
        { intent: { name: "bye" }, nluConfidence: { score: 0.2 } },
      ],
    }),
    { predicted: "greet", confidence: 0.8, others: 1 },
  ],
  [
    "lex",
    "fallback.jsonl",
    lines({ gold: "greet", interpretations: [{ intent: { name: "FallbackIntent" } }] }),
    { predicted: null, confidence: 0 },
  ],
  [
    "nlpjs",
    "out.jsonl",
    lines({ gold: "greet", intent: "None", score: 1, classifications: [{ intent: "greet", score: 0.4 }] }),
    { predicted: null, confidence: 0, others: 0 },
  ],
  ["plain", "out.csv", "id,gold,predicted,confidence\n7,greet,bye,0.25\n", { predicted: "bye", confidence: 0.25 }],
  ["plain", "out.tsv", "id\tgold\tpredicted\tconfidence\n7\tgreet\t\t\n", { predicted: null, confidence: 0 }],
];
for (const [format, file, content, expected] of outputs) {
  test(`${format}, ${file}: prediction, confidence and further candidates`, async () => {
    const [found, ...more] = await read(format, file, content);
    assert.equal(more, []);
    assert.equal([found?.predicted, found?.confidence], [expected.predicted, expected.confidence]);
    assert.is(found?.others.length, expected.others ?? 0);
    assert.is(found?.gold, "greet");
  });
}

test("an empty label is out of scope, a row without the field is in no metric", async () => {
  const [run] = predictionRuns(
    await read(
      "plain",
      "out.jsonl",
      lines(
        { id: "a", gold: null, predicted: "greet", confidence: 0.9 },
        { id: "b", gold: "", predicted: "", confidence: 0 },
        { id: "c", predicted: "greet", confidence: 0.9 },
        { id: "d", gold: "greet", predicted: "greet", confidence: 1 },
      ),
    ),
  );
  assert.is(run?.unlabelled, 1);
  assert.equal(
    run?.records.map(({ id, workflow_id: workflowId, candidates }) => [id, workflowId, candidates[0]?.workflow_id]),
    [
      ["a", null, "greet"],
      ["b", null, noPrediction],
      ["d", "greet", "greet"],
    ],
  );
});

test("every metric works on an imported run; confidences survive to six decimals", async () => {
  const rows = [0, 0.123457, 0.5, 0.999999, 1].map((confidence, i) => ({
    id: `${i}`,
    gold: i === 2 ? null : "greet",
    predicted: i % 2 === 0 ? "greet" : "bye",
    confidence,
  }));
  const [run] = predictionRuns(await read("plain", "out.jsonl", lines(...rows)));
  assert.ok(run !== undefined);
  const found = evaluateRecords({
    records: run.records,
    fold: "eval",
    runSha256: digestOf(1),
    topK: run.topK,
    calibration: null,
    resamples: 50,
  });
  assert.equal(
    found.risk_coverage.map(({ threshold }) => threshold).toReversed(),
    rows.map(({ confidence }) => confidence),
  );
  assert.is(found.retrieval.top1.k, 2);
  assert.ok(found.detail.out_of_scope.auroc.value !== null);
});

test("one run for each combination of the given columns", async () => {
  const csv = "bot,system,id,gold,predicted,confidence\nx,r,1,a,a,0.5\nx,l,1,a,b,0.5\ny,r,1,,b,0.5\n";
  assert.equal(
    predictionRuns(await read("plain", "out.csv", csv, ["bot", "system"])).map(({ by, records }) => [
      ...by,
      records.length,
    ]),
    [
      ["x", "r", 1],
      ["x", "l", 1],
      ["y", "r", 1],
    ],
  );
  const error = await rejects(read("plain", "out.csv", csv, ["bot"]).then(predictionRuns), "DOCUMENT_INVALID");
  assert.match(error.hint ?? "", /--each/);
});

const refused: readonly (readonly [string, string, string])[] = [
  ["a confidence that is no number", "NaN", "line 2"],
  ["a confidence above 1", "1.5", "line 2"],
  ["a confidence below 0", "-0.1", "line 2"],
  ["no confidence for a prediction", "", "line 2"],
];
for (const [name, confidence, at] of refused) {
  test(`${name} is refused with its line and column`, async () => {
    const error = await rejects(
      read("plain", "out.csv", `id,gold,predicted,confidence\n1,a,b,${confidence}\n`),
      "DOCUMENT_INVALID",
    );
    assert.match(error.message, new RegExp(`${at} column confidence`));
  });
}

test("files without rows, without labels or of another form are refused", async () => {
  await rejects(read("plain", "out.csv", "id,gold,predicted,confidence\n"), "DOCUMENT_INVALID");
  await rejects(read("rasa", "out.json", "{}"), "DOCUMENT_INVALID");
  await rejects(read("lex", "out.csv", "id,gold,predicted,confidence\n1,a,a,0.5\n"), "DOCUMENT_INVALID");
  await rejects(read("rasa", "out.json", "["), "DOCUMENT_INVALID");
  await rejects(read("plain", "out.jsonl", lines({ gold: 3, predicted: "a", confidence: 0.5 })), "DOCUMENT_INVALID");
  await rejects(
    read("plain", "out.jsonl", lines({ predicted: "a", confidence: 0.5 })).then(predictionRuns),
    "DOCUMENT_INVALID",
  );
});

test("rows of one kind leave what needs the other undefined", async () => {
  const [run] = predictionRuns(await read("plain", "out.jsonl", lines({ gold: "a", predicted: "a", confidence: 0.5 })));
  const summary = summarisePredictions(run?.records ?? []);
  assert.is(summary.auroc.value, null);
  assert.is(summary.out_of_scope_recall, null);
  assert.is(summary.out_of_scope, 0);
});
