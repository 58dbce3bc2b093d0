/**
 * Fits the detector of texts that only end a conversation, on turns of SGD and on requests that stand alone, and prints it
 * for `models/default/retriever/router_model.json`. First the share of such texts that a detector finds that was fitted on
 * other services and conversations, and the share of others that it takes for one.
 *
 *   node dist/bench/fit-closing-weights.js [--data FOLDER] [--checkpoint DIR]
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { fitLogistic } from "../calibrate/calibrators/logistic-regression.js";
import type { Detector } from "../src/documents/model.js";
import { vectorsOfTexts } from "../src/router/load-models.js";
import { logOddsOf } from "../src/router/retrieval/detector.js";
import { shared } from "../test/support/shared.js";
import { checkpointAt } from "./held-out/checkpoint.js";
import { atMost, jsonLinesOf } from "./held-out/protocol.js";
import { measuredProjects } from "./not-one-wish/projects.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: shared("data") },
    checkpoint: { type: "string", default: "models/default" },
  },
});
const print = (line: string): unknown => process.stdout.write(`${line}\n`);
const ridge = 3;
/** Share of the other follow-ups that may be taken for the end of a conversation. */
const mayStop = 0.01;
const mostTurns = 9000;
const mostSingles = 1000;

interface Text {
  readonly text: string;
  readonly closes: boolean;
  /** Texts of one part are tested by a detector fitted on the others; -1 for texts of no conversation. */
  readonly part: number;
  readonly source: string;
}

interface Turn {
  readonly id: string;
  readonly text: string;
  readonly previous_workflow_id: string;
  readonly acts: readonly string[];
}

/** Turns without labelled acts say nothing about whether they close. */
function turnsOf(data: string): readonly Text[] {
  const lines = gunzipSync(readFileSync(join(data, "sgd/turns.jsonl.gz")))
    .toString("utf8")
    .trim()
    .split("\n");
  const turns = lines.map((line) => JSON.parse(line) as Turn).filter(({ acts }) => acts.length > 0);
  const services = [...new Set(turns.map(({ previous_workflow_id: id }) => id.split("_", 1)[0] ?? ""))].sort();
  return atMost(turns, mostTurns, () => "").map(({ text, acts, previous_workflow_id: id }) => ({
    text,
    closes: acts.some((act) => act === "GOODBYE" || act === "THANK_YOU"),
    part: services.indexOf(id.split("_", 1)[0] ?? "") % 2,
    source: "follow-ups",
  }));
}

async function singlesOf(data: string): Promise<readonly Text[]> {
  const first = jsonLinesOf<{ readonly text: string; readonly turn: number }>(join(data, "sgd/data.jsonl"));
  const single = (source: string, texts: readonly string[]): readonly Text[] =>
    texts.slice(0, mostSingles).map((text) => ({ text, closes: false, part: -1, source }));
  const projects = await measuredProjects(data);
  return [
    ...single(
      "first requests of SGD",
      first.filter(({ turn }) => turn === 0).map(({ text }) => text),
    ),
    ...projects.flatMap(({ name, certify }) =>
      single(
        name,
        certify.map(({ text }) => text),
      ),
    ),
  ];
}

type Vectors = ReadonlyMap<string, Float32Array>;

function fit(texts: readonly Text[], vectors: Vectors): Detector {
  const rows = texts.map(({ text }) => vectors.get(text) ?? new Float32Array());
  const dimensions = rows[0]?.length ?? 0;
  const features = Array.from({ length: dimensions }, (_, d) => Float64Array.from(rows, (row) => row[d] ?? 0));
  const problem = {
    features: [new Float64Array(rows.length).fill(1), ...features],
    target: Float64Array.from(texts, ({ closes }) => Number(closes)),
    weight: new Float64Array(rows.length).fill(1),
    ridge: [0, ...features.map(() => ridge)],
  };
  const [bias = 0, ...weights] =
    fitLogistic(
      problem,
      problem.ridge.map(() => 0),
    ) ?? [];
  return { bias, weights };
}

const texts = [...turnsOf(values.data), ...(await singlesOf(values.data))];
const { sources } = await checkpointAt(values.checkpoint, "checkpoint");
const vectors = await vectorsOfTexts(sources.retrieverFiles, [...new Set(texts.map(({ text }) => text))], {
  workers: 2,
  queueLimit: 4096,
});
if (vectors === null) throw new Error("the retriever has no encoder");
const scored = texts.map((text) => ({ ...text, logOdds: 0 }));
for (const part of [0, 1]) {
  const detector = fit(
    texts.filter((text) => text.part !== part),
    vectors,
  );
  for (const text of scored)
    if (text.part === part) text.logOdds = logOddsOf(detector, vectors.get(text.text) ?? null) ?? 0;
}
const followUps = scored.filter(({ part }) => part >= 0);
const others = followUps
  .filter(({ closes }) => !closes)
  .map(({ logOdds }) => logOdds)
  .toSorted((a, b) => b - a);
const threshold = others[Math.floor(mayStop * others.length)] ?? 0;
const share = (of: readonly { readonly logOdds: number }[]): string =>
  `${((100 * of.filter(({ logOdds }) => logOdds > threshold).length) / of.length).toFixed(1)}% of ${of.length}`;
print(
  `closings ${share(followUps.filter(({ closes }) => closes))}, other follow-ups ${share(followUps.filter(({ closes }) => !closes))}`,
);
const shipped = fit(texts, vectors);
for (const source of new Set(texts.filter(({ part }) => part < 0).map((text) => text.source))) {
  const own = texts.filter((text) => text.source === source);
  const without = fit(
    texts.filter((text) => text.source !== source),
    vectors,
  );
  print(`${source} ${share(own.map(({ text }) => ({ logOdds: logOddsOf(without, vectors.get(text) ?? null) ?? 0 })))}`);
}
const rounded = (value: number): number => Number(value.toPrecision(5));
print(JSON.stringify({ bias: rounded(shipped.bias - threshold), weights: shipped.weights.map(rounded) }));
