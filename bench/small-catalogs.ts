/**
 * Measures what Sluice achieves with small catalogs: hard catalogs of 12 workflows with 15 requests each, a tenth of
 * all requests out of scope, made from a table of texts and labels as by `sluice init` and `sluice run`, with default
 * models, every text used twice, and the sequence of targets. A catalog is an intent of BANKING77 and its eleven
 * nearest intents; its texts are test texts, which the default models have not seen. The shipped router is measured on
 * up to 60 other texts per intent, and on 400 out-of-scope test texts of other intents. Prints one value per quantity,
 * with an interval.
 *
 *   node dist/bench/small-catalogs.js [--catalogs 250] [--skip 0] [--copies] [--generated-texts] [--noise 0]
 *       [--data FOLDER] [--save FILE] [--json]
 *
 * --generated-texts: texts with the same meaning are one family. --copies: the table contains every text a second time
 * with one word added, dropped or replaced. --noise: share of the labels that are wrong. --save: appends each finished catalog to a file and skips the catalogs in
 * the file. --skip N leaves out the first N catalogs.
 */
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fitCalibration } from "../calibrate/fit-calibration.js";
import type { FitInput } from "../calibrate/fit-input.js";
import { draftProject } from "../datasets/draft/draft-project.js";
import { everyTextShares, usesEveryText } from "../datasets/every-text.js";
import { alikeTexts, examplesOf } from "../datasets/families.js";
import { leftOutParts, leftOutOf } from "../datasets/left-out.js";
import { normaliseText } from "../datasets/near-duplicates.js";
import { defaultChoices } from "../datasets/sources/choices.js";
import { parseSource } from "../datasets/sources/parse-source.js";
import { leftOutSplit } from "../datasets/split-by-request.js";
import { foldOf, splitByWorkflow } from "../datasets/split-by-workflow.js";
import { csvLine } from "../datasets/csv-line.js";
import { scoreDataset } from "../eval/score-dataset.js";
import { parseCatalog } from "../src/router/catalog/load.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { type Sha256, sha256Hex } from "../src/base/sha256.js";
import type { Calibration } from "../src/documents/calibration.js";
import type { Catalog } from "../src/documents/catalog.js";
import type { Fold } from "../src/documents/choices.js";
import { clusterOf, type LabelledRequest } from "../src/documents/dataset.js";
import { defaultPolicy } from "../src/documents/policy.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import { unbounded } from "../src/documents/run-scope.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { type Kin, kinOfRows } from "../src/documents/split.js";
import { SluiceError } from "../src/base/error.js";
import { createWorkerModel } from "../src/inference/models/create-worker-model.js";
import { LocalModels } from "../src/inference/models/local-models.js";
import type { JobOutcome, WorkerModel } from "../src/inference/models/worker-model.js";
import type { Job, JobOutput } from "../src/inference/protocol.js";
import { compileInputPatterns } from "../src/router/inputs/input-patterns.js";
import { decide } from "../src/router/policy/decide.js";
import { activeWorkflows } from "../src/router/policy/eligibility.js";
import { parseRetrieverModel } from "../src/router/retrieval/parse-retriever.js";
import { encodeCatalog, encodeRequests, openTransformer } from "../src/router/retrieval/text-encoder.js";
import { CandidateScorer } from "../src/router/candidate-scorer.js";
import { writeCatalogLines } from "../src/router/catalog-lines.js";
import { unpackScores } from "../src/router/scoring/packed-scores.js";
import { ThreadScorer } from "../src/router/scoring/thread-scorer.js";
import { clopperPearson } from "../src/base/numbers/clopper-pearson.js";
import { groupBy } from "../src/base/group-by.js";
import { type SeededRandom, seededRandom } from "../src/base/numbers/seeded-random.js";
import { parseVerifierModel } from "../src/router/verification/parse-verifier.js";
import { shared } from "../test/support/shared.js";
import { jsonLinesOf } from "./held-out/protocol.js";
import { defaultModels } from "./serving/default-models.js";

const { values } = parseArgs({
  options: {
    catalogs: { type: "string", default: "250" },
    skip: { type: "string", default: "0" },
    copies: { type: "boolean", default: false },
    "generated-texts": { type: "boolean", default: false },
    data: { type: "string", default: shared("data") },
    noise: { type: "string", default: "0" },
    save: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const intentsEach = 12;
const requestsEach = 15;
const outOfScopeEach = 20;
/** Out-of-scope share of the requests, labelled and in production. */
const outOfScopeShare = outOfScopeEach / (intentsEach * requestsEach + outOfScopeEach);
const freshEach = 60;
const freshOutOfScope = 400;
const plannedTarget = 0.05;
const outside = "out_of_scope";

interface Labelled {
  readonly text: string;
  readonly label: string;
}

interface Line {
  readonly text: string;
  readonly workflow_id: string;
  readonly split: "train" | "test";
}

/** One catalog and the results of its router. Shares are in [0, 1]. */
interface Outcome {
  readonly catalog: number;
  readonly copies: boolean;
  readonly requests: number;
  /** Number of requests that the claim counts: one per family. */
  readonly counted: number;
  /** Signed target; null: nothing is certified, so nothing is routed. */
  readonly signed: number | null;
  /** Result of the claim's test. */
  readonly claim: Ratio;
  /**
   * Routed share of all requests in production, and wrong share of the routed requests, which is null if nothing is
   * routed.
   */
  readonly coverage: number;
  readonly risk: number | null;
  /** Number of routed in-scope requests and of wrong ones, by whether the default models had seen the text. */
  readonly unread: Ratio;
  readonly read: Ratio;
}

interface Ratio {
  readonly k: number;
  readonly n: number;
}

/** An encoder that encodes each text once for all catalogs. */
class RememberingEncoder implements WorkerModel {
  readonly words: readonly string[];
  private readonly encoder: WorkerModel;
  private readonly outputs = new Map<string, JobOutput>();

  constructor(encoder: WorkerModel) {
    this.encoder = encoder;
    this.words = encoder.words ?? [];
  }

  async *run(jobs: readonly Job[]): AsyncIterable<JobOutcome> {
    for (const job of jobs) {
      const key = JSON.stringify(job.input);
      const known = this.outputs.get(key);
      if (known !== undefined) yield { id: job.id, output: known };
      else yield* this.readFirst(job, key);
    }
  }

  release(): Promise<void> {
    return this.encoder.release();
  }

  private async *readFirst(job: Job, key: string): AsyncIterable<JobOutcome> {
    for await (const outcome of this.encoder.run([job])) {
      if ("output" in outcome) this.outputs.set(key, outcome.output);
      yield outcome;
    }
  }
}

/** Loads the default models without a catalog. */
async function openModels() {
  const { retrieverFiles, verifierFiles } = await defaultModels();
  const retriever = parseRetrieverModel(retrieverFiles);
  if (retriever.kind !== "encoder") throw new Error("the default retriever has no encoder");
  let encoder: WorkerModel | undefined;
  const find = (): WorkerModel | undefined => encoder;
  const local = new LocalModels(find);
  const transformer = await openTransformer(retrieverFiles, retriever, {
    load: async (spec) => {
      encoder = new RememberingEncoder(await createWorkerModel(spec));
      return local.at(1);
    },
  });
  const verifier = parseVerifierModel(verifierFiles);
  return { retriever, verifier, retrieverFiles, verifierFiles, find, transformer };
}

type Models = Awaited<ReturnType<typeof openModels>>;

const { signal } = new AbortController();

/** Opens the scorer of a scoring thread in this thread. */
async function openScorer({ find, transformer, ...models }: Models, catalog: Catalog): Promise<ThreadScorer> {
  const { vectors } = await encodeCatalog(transformer, activeWorkflows(catalog));
  return ThreadScorer.create(
    {
      kind: "scorer",
      ...models,
      catalog: await writeCatalogLines(catalog, () => Promise.resolve()),
      encodedCatalog: { encoder: 1, vectors: vectors.toShare, heads: null },
      built: null,
    },
    { find, onProgress: () => undefined, signal },
  );
}

interface SplitOfRows {
  readonly foldOf: ReadonlyMap<string, Fold>;
  readonly kin?: ReadonlyMap<string, Kin>;
}

/** Scores rows over a catalog with the serving code. */
async function score(models: Models, catalog: Catalog, rows: readonly LabelledRequest[], split: SplitOfRows) {
  const thread = await openScorer(models, catalog);
  const patterns = compileInputPatterns(catalog);
  const { verifier } = models;
  const scorer = new CandidateScorer({
    catalog,
    policy: defaultPolicy,
    modelVersion: "default",
    featureNames: "features" in verifier ? verifier.features : null,
    now: () => 0,
    scoreText: async (request) => {
      for await (const outcome of thread.run([{ id: 0, model: 1, input: { kind: "request", request } }])) {
        if ("error" in outcome) throw outcome.error;
        if (outcome.output.kind === "scores") return unpackScores(outcome.output.scores, patterns.list);
      }
      throw new Error("a scorer left a request without scores");
    },
  });
  try {
    return await scoreDataset({
      rows,
      ...split,
      scorer,
      catalogVersion: catalog.catalog_version,
      workflowIds: catalog.workflows.map(({ workflow_id: workflowId }) => workflowId),
      concurrency: 1,
    });
  } finally {
    await thread.release();
  }
}

/** For each intent, all intents by distance of the mean vectors of their test texts, nearest first. */
async function neighbours(data: Texts, { transformer }: Models): Promise<ReadonlyMap<string, readonly string[]>> {
  const means = new Map<string, Float64Array>();
  for (const [label, texts] of data.unread) {
    const sum = new Float64Array(transformer.encoder.dimensions);
    for (const text of texts) {
      const { vector } = await transformer.encoder.encode(text, unbounded);
      for (const [d, value] of vector.entries()) sum[d] = (sum[d] ?? 0) + value;
    }
    const length = Math.hypot(...sum);
    means.set(
      label,
      sum.map((value) => value / length),
    );
  }
  const cosine = (a: Float64Array, b: Float64Array): number =>
    a.reduce((sum, value, d) => sum + value * (b[d] ?? 0), 0);
  const entries = [...means];
  return new Map(
    entries.map(([label, own]) => [
      label,
      entries
        .map(([other, mean]) => ({ other, near: cosine(own, mean) }))
        .sort((a, b) => b.near - a.near)
        .map(({ other }) => other),
    ]),
  );
}

/** Distinct texts per intent: those that the default models have not seen, and the rest. */
interface Texts {
  readonly unread: ReadonlyMap<string, readonly string[]>;
  readonly read: ReadonlyMap<string, readonly string[]>;
}

function textsOf(lines: readonly Line[]): Texts {
  const seen = new Set<string>();
  const training = new Set(lines.filter(({ split }) => split === "train").map(({ text }) => normaliseText(text)));
  const once = lines.filter(({ text }) => !seen.has(normaliseText(text)) && seen.add(normaliseText(text)));
  const part = (isRead: boolean) =>
    new Map(
      [
        ...groupBy(
          once.filter(({ text }) => training.has(normaliseText(text)) === isRead),
          ({ workflow_id: label }) => label,
        ),
      ].map(([label, own]) => [label, own.map(({ text }) => text)] as const),
    );
  return { unread: part(false), read: part(true) };
}

/** The texts of one catalog, and other requests to it. */
interface Draw {
  readonly labelled: readonly Labelled[];
  readonly fresh: readonly (Labelled & { readonly wasRead: boolean })[];
}

function drawCatalog(data: Texts, intents: readonly string[], random: SeededRandom): Draw {
  const [inside, others] = [intents.slice(0, intentsEach), intents.slice(intentsEach)];
  const drawn = inside.map((label) => ({ label, texts: random.shuffle(data.unread.get(label) ?? []) }));
  const far = random.shuffle(
    others.flatMap((label) => (data.unread.get(label) ?? []).map((text) => ({ text, label: outside }))),
  );
  const fresh = drawn.flatMap(({ label, texts }) => {
    const unread = texts.slice(requestsEach).map((text) => ({ text, label, wasRead: false }));
    const read = random.shuffle(data.read.get(label) ?? []).map((text) => ({ text, label, wasRead: true }));
    return [...unread, ...read].slice(0, freshEach);
  });
  return {
    labelled: [
      ...drawn.flatMap(({ label, texts }) => texts.slice(0, requestsEach).map((text) => ({ text, label }))),
      ...far.slice(0, outOfScopeEach),
    ],
    fresh: [
      ...fresh,
      ...far.slice(outOfScopeEach, outOfScopeEach + freshOutOfScope).map((one) => ({ ...one, wasRead: false })),
    ],
  };
}

const addedWords = ["please", "hello", "thanks", "now", "today", "quickly", "again", "actually", "sorry", "help"];

/** A copy of a text with one word added, dropped or replaced, the same in every catalog. */
function copyOf({ text, label }: Labelled): Labelled {
  const random = seededRandom(Number.parseInt(sha256Hex(text).slice(0, 7), 16));
  const words = text.trim().split(/\s+/u);
  const [at, kind] = [random.integer(0, words.length - 1), words.length < 2 ? 0 : random.integer(0, 2)];
  const word = addedWords[random.integer(0, addedWords.length - 1)] ?? "";
  const removed = kind === 0 ? 0 : 1;
  return { text: words.toSpliced(at, removed, ...(kind === 1 ? [] : [word])).join(" "), label };
}

/** Gives a share of the texts another label, the same in every run. */
function withWrongLabels(labelled: readonly Labelled[], share: number, catalog: number): readonly Labelled[] {
  const random = seededRandom(1000 + catalog);
  const labels = [...new Set(labelled.map(({ label }) => label)), outside];
  return labelled.map((one) => {
    if (random.uniform() >= share) return one;
    const others = [...new Set(labels)].filter((label) => label !== one.label);
    return { ...one, label: others[random.integer(0, others.length - 1)] ?? one.label };
  });
}

/** Drafts a project from a table, like `sluice init`. */
async function draftOf(labelled: readonly Labelled[]) {
  const lines = [["text", "label"], ...labelled.map(({ text, label }) => [text, label])].map(csvLine);
  const parsedSource = await parseSource(
    [{ file: "requests.csv", bytes: Buffer.from(lines.join("\n")) }],
    defaultChoices,
  );
  const draft = draftProject(parsedSource, { name: "small", owner: "bench", tier: "medium", seed: 1, everyText: true });
  const catalog = parseCatalog(canonicalBytes(draft.catalog), "the drafted catalog");
  if (!usesEveryText(draft.requests, catalog)) throw new Error("the texts are not used twice");
  return {
    catalog,
    rows: draft.requests,
    ids: new Map(draft.labels.map(({ label, workflowId }) => [label, workflowId])),
  };
}

const noDigest = sha256Hex("") satisfies Sha256;

/** Fits the thresholds of a project, like the first `sluice run`. */
function fit(records: readonly ScoredRecord[]): Calibration {
  const input: FitInput = {
    records,
    claim: "fixed-catalog",
    target_risk: plannedTarget,
    delta: 0.05,
    attempt: 1,
    left_out: true,
    digests: { catalog: noDigest, dataset: noDigest, split: noDigest, run: noDigest },
    version: "bench",
  };
  try {
    return fitCalibration({ ...input, calibrator: "catalog-features" });
  } catch (thrown) {
    if (!(thrown instanceof SluiceError) || thrown.code !== "FIT_FAILED") throw thrown;
    return fitCalibration(input);
  }
}

async function alikeIn(rows: readonly LabelledRequest[], catalog: Catalog, { transformer }: Models) {
  const examples = examplesOf(catalog);
  const texts = [...rows, ...examples].map(({ text }) => text);
  return alikeTexts({ rows, examples }, await encodeRequests(transformer, texts));
}

async function runCatalog(number: number, { labelled, fresh }: Draw, models: Models): Promise<Outcome> {
  const { catalog, rows, ids } = await draftOf(labelled);
  const split = splitByWorkflow({
    dataset: { sha256: noDigest, rows },
    catalog,
    seed: 1,
    fractions: everyTextShares(rows.length),
    by: leftOutSplit,
    ...(values["generated-texts"] ? { alike: await alikeIn(rows, catalog, models) } : {}),
  });
  const folds = { foldOf: foldOf(split), kin: kinOfRows(split) };
  const records: ScoredRecord[] = [];
  for (const part of leftOutParts(rows, catalog, leftOutOf(split))) {
    const own = rows.filter(({ id }) => part.rows.has(id));
    records.push(...(await score(models, part.catalog, own, folds)));
  }
  const calibration = fit(records);
  const [claim] = calibration.claims;
  if (claim === undefined) throw new Error("a fit without a claim");
  const requests = fresh.map(({ text, label }, index): LabelledRequest => {
    return { id: `${index}`, text, workflow_id: label === outside ? null : (ids.get(label) as WorkflowId) };
  });
  const asked = await score(models, catalog, requests, {
    foldOf: new Map(requests.map((row) => [clusterOf(row), "eval"])),
  });
  return {
    catalog: number,
    copies: values.copies,
    requests: rows.length,
    counted: claim.requests,
    signed: claim.certified ? claim.target_risk : null,
    claim: { k: claim.errors, n: claim.routed },
    ...truthOf(asked, fresh, calibration),
  };
}

/** Results of the router, with equal weight per intent and the out-of-scope share of production. */
function truthOf(
  asked: readonly ScoredRecord[],
  fresh: Draw["fresh"],
  calibration: Calibration,
): Pick<Outcome, "coverage" | "risk" | "unread" | "read"> {
  const answers = asked.map((record, index) => {
    const answer = decide(record, calibration);
    const routed = answer.decision === "ROUTE";
    const { label, wasRead } = fresh[index] as Draw["fresh"][number];
    return { label, wasRead, routed, wrong: routed && answer.workflow_id !== record.workflow_id };
  });
  let [coverage, wrong] = [0, 0];
  for (const [label, own] of groupBy(answers, (answer) => answer.label)) {
    const weight = (label === outside ? outOfScopeShare : (1 - outOfScopeShare) / intentsEach) / own.length;
    coverage += weight * own.filter(({ routed }) => routed).length;
    wrong += weight * own.filter((answer) => answer.wrong).length;
  }
  const inScope = (wasRead: boolean): Ratio => {
    const own = answers.filter((answer) => answer.label !== outside && answer.wasRead === wasRead && answer.routed);
    return { k: own.filter((answer) => answer.wrong).length, n: own.length };
  };
  return { coverage, risk: coverage === 0 ? null : wrong / coverage, unread: inScope(false), read: inScope(true) };
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

/** Formats k of n with its 95% Clopper-Pearson interval. */
function rate(k: number, n: number): string {
  if (n === 0) return "-";
  const { lower, upper } = clopperPearson(k, n, 0.95);
  return `${k} of ${n} = ${percent(k / n)} [${percent(lower)}, ${percent(upper)}]`;
}

/** Formats a mean over catalogs with its 95% interval. */
function meanText(all: readonly number[]): string {
  const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
  const variance = all.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, all.length - 1);
  const error = 1.96 * Math.sqrt(variance / all.length);
  return `${percent(mean)} [${percent(mean - error)}, ${percent(mean + error)}]`;
}

function summary(outcomes: readonly Outcome[]): string {
  const signed = outcomes.filter((one) => one.signed !== null);
  const isFalse = ({ signed: target, risk }: Outcome): boolean => target !== null && risk !== null && risk > target;
  const sum = (of: (outcome: Outcome) => Ratio): string => {
    const [k, n] = [
      outcomes.reduce((all, one) => all + of(one).k, 0),
      outcomes.reduce((all, one) => all + of(one).n, 0),
    ];
    return `${k} of ${n} = ${percent(k / Math.max(1, n))}`;
  };
  const targets = [...groupBy(signed, ({ signed: target }) => `${target}`)]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([target, own]) => `${percent(Number(target))}: ${own.length}`);
  const atMostPlanned = outcomes.filter(({ signed: target }) => target !== null && target <= plannedTarget);
  return [
    `something is signed: ${rate(signed.length, outcomes.length)}`,
    `5% or less is signed: ${rate(atMostPlanned.length, outcomes.length)}`,
    `coverage: ${meanText(outcomes.map(({ coverage }) => coverage))}`,
    `the signed claim is false: ${rate(outcomes.filter(isFalse).length, outcomes.length)}`,
    `wrong of routed, where something is signed: ${meanText(signed.map(({ risk }) => risk ?? 0))}`,
    `signed: ${targets.join(", ")}`,
    `in scope wrong of routed: ${sum(({ unread }) => unread)} of texts that the models had not read, ${sum(({ read }) => read)} of the others`,
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** Runs the unfinished catalogs and calls `done` after each. */
async function runCatalogs(numbers: readonly number[], done: (outcome: Outcome) => void): Promise<void> {
  const data = textsOf(jsonLinesOf<Line>(join(values.data, "banking77", "data.jsonl")));
  const models = await openModels();
  const near = await neighbours(data, models);
  const labels = [...near.keys()].sort();
  for (const number of numbers) {
    const intents = near.get(labels[(number - 1) % labels.length] ?? "") ?? [];
    const draw = drawCatalog(data, intents, seededRandom(number));
    const labelled = withWrongLabels(draw.labelled, Number(values.noise), number);
    const copies = values.copies ? labelled.map(copyOf) : [];
    done(await runCatalog(number, { ...draw, labelled: [...labelled, ...copies] }, models));
  }
}

const { save } = values;
const known = save !== undefined && existsSync(save) ? jsonLinesOf<Outcome>(save) : [];
const outcomes = known.filter(({ copies }) => copies === values.copies);
const last = Number(values.catalogs);
const numbers = Array.from({ length: last }, (_, at) => at + 1).filter(
  (number) => number > Number(values.skip) && !outcomes.some(({ catalog }) => catalog === number),
);
const started = performance.now();
if (numbers.length > 0 && !existsSync(join(values.data, "banking77", "data.jsonl"))) {
  process.stderr.write(`left out: there is no BANKING77 in ${values.data}; name the data with --data FOLDER\n`);
} else {
  if (numbers.length > 0) {
    await runCatalogs(numbers, (outcome) => {
      outcomes.push(outcome);
      if (save !== undefined) appendFileSync(save, `${JSON.stringify(outcome)}\n`);
      const { catalog, signed, coverage, risk } = outcome;
      const found = `signed ${signed === null ? "nothing" : percent(signed)}, covers ${percent(coverage)}, wrong ${percent(risk ?? 0)}`;
      process.stderr.write(`${catalog}: ${found} (${Math.round((performance.now() - started) / 1000)} s)\n`);
    });
  }
  process.stdout.write(values.json ? `${JSON.stringify({ outcomes })}\n` : summary(outcomes));
}
