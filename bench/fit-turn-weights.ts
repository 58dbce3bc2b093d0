/**
 * Fits the detectors of texts that only end a conversation, and of texts that state a new wish, on turns of SGD and on
 * requests that stand alone, and prints them for `models/default/retriever/router_model.json`. First, for detectors that were
 * fitted on other services and conversations, the share of such texts that they find at 1% of the other follow-ups, and the
 * share of the requests of each collection that detectors fitted without it find.
 *
 *   node dist/bench/fit-turn-weights.js [--data FOLDER] [--checkpoint DIR]
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fitLogistic } from "../calibrate/calibrators/logistic-regression.js";
import type { Detector } from "../src/documents/model.js";
import { vectorsOfTexts } from "../src/router/load-models.js";
import { logOddsOf } from "../src/router/retrieval/detector.js";
import { shared } from "../test/support/shared.js";
import { closes, conversationOf, measuredThird, sgdTurns, statesWish, thirdOf } from "./datasets/sgd-turns.js";
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
/** Share of the other follow-ups that may exceed the threshold. */
const mayStop = 0.01;
const mostTurns = 9000;
const mostSingles = 1000;

type Kind = "closing" | "new_wish";

interface Text extends Readonly<Record<Kind, boolean>> {
  readonly text: string;
  /** Texts of one part are tested by a detector fitted on the others; -1 for texts of no conversation. */
  readonly part: number;
  readonly source: string;
}

const isFitted = (row: { readonly id: string }): boolean => thirdOf(conversationOf(row)) !== measuredThird;

/** Turns without labelled acts say nothing about what they are. */
function turnsOf(data: string): readonly Text[] {
  const turns = sgdTurns(data).filter((turn) => turn.acts.length > 0 && isFitted(turn));
  const services = [...new Set(turns.map(({ previous_workflow_id: id }) => id.split("_", 1)[0] ?? ""))].sort();
  return atMost(turns, mostTurns, () => "").map((turn) => ({
    text: turn.text,
    closing: closes(turn),
    new_wish: !closes(turn) && statesWish(turn),
    part: services.indexOf(turn.previous_workflow_id.split("_", 1)[0] ?? "") % 2,
    source: "follow-ups",
  }));
}

async function singlesOf(data: string): Promise<readonly Text[]> {
  const first = jsonLinesOf<{ readonly id: string; readonly text: string; readonly turn: number }>(
    join(data, "sgd/data.jsonl"),
  );
  const single = (source: string, texts: readonly string[]): readonly Text[] =>
    texts.slice(0, mostSingles).map((text) => ({ text, closing: false, new_wish: true, part: -1, source }));
  const projects = await measuredProjects(data);
  return [
    ...single(
      "first requests of SGD",
      first.filter((row) => row.turn === 0 && isFitted(row)).map(({ text }) => text),
    ),
    ...projects.flatMap(({ name, certify }) =>
      single(
        name,
        certify.map(({ text }) => text),
      ),
    ),
  ];
}

const texts = [...turnsOf(values.data), ...(await singlesOf(values.data))];
const { sources } = await checkpointAt(values.checkpoint, "checkpoint");
const vectors = await vectorsOfTexts(sources.retrieverFiles, [...new Set(texts.map(({ text }) => text))], {
  workers: 2,
  queueLimit: 4096,
});
if (vectors === null) throw new Error("the retriever has no encoder");

function fit(rows: readonly Text[], kind: Kind): Detector {
  const read = rows.map(({ text }) => vectors?.get(text) ?? new Float32Array());
  const dimensions = read[0]?.length ?? 0;
  const features = Array.from({ length: dimensions }, (_, d) => Float64Array.from(read, (row) => row[d] ?? 0));
  const problem = {
    features: [new Float64Array(rows.length).fill(1), ...features],
    target: Float64Array.from(rows, (row) => Number(row[kind])),
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

const scoreOf = (detector: Detector, { text }: Text): number => logOddsOf(detector, vectors.get(text) ?? null) ?? 0;
const rounded = (value: number): number => Number(value.toPrecision(5));

function report(kind: Kind): Detector {
  const ofParts = [0, 1].map((part) =>
    fit(
      texts.filter((text) => text.part !== part),
      kind,
    ),
  );
  const scored = texts.flatMap((text) => {
    const detector = ofParts[text.part];
    return detector === undefined ? [] : [{ is: text[kind], logOdds: scoreOf(detector, text) }];
  });
  const others = scored
    .filter(({ is }) => !is)
    .map(({ logOdds }) => logOdds)
    .toSorted((a, b) => b - a);
  const threshold = others[Math.floor(mayStop * others.length)] ?? 0;
  const share = (of: readonly number[]): string =>
    `${((100 * of.filter((logOdds) => logOdds > threshold).length) / of.length).toFixed(1)}% of ${of.length}`;
  print(`${kind}: found ${share(scored.filter(({ is }) => is).map(({ logOdds }) => logOdds))}`);
  for (const source of new Set(texts.filter(({ part }) => part < 0).map((text) => text.source))) {
    const without = fit(
      texts.filter((text) => text.source !== source),
      kind,
    );
    print(
      `${kind}: ${source} ${share(texts.filter((text) => text.source === source).map((text) => scoreOf(without, text)))}`,
    );
  }
  const shipped = fit(texts, kind);
  // Above 0 a text ends the conversation; a new wish has no threshold.
  return { bias: rounded(shipped.bias - (kind === "closing" ? threshold : 0)), weights: shipped.weights.map(rounded) };
}

print(JSON.stringify({ closing: report("closing"), new_wish: report("new_wish") }));
