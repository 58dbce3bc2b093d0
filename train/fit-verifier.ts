import { canonicalBytes } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { LinearVerifierModel, RetrieverModel } from "../src/documents/model.js";
import { verifierLabels } from "../src/documents/choices.js";
import { unbounded } from "../src/documents/run-scope.js";
import { SluiceError } from "../src/base/error.js";
import { onnxModel } from "../src/inference/onnx-graph.js";
import type { Workflow } from "../src/documents/catalog.js";
import { compileInputPatterns } from "../src/router/inputs/input-patterns.js";
import { HybridRetriever } from "../src/router/retrieval/hybrid-retriever.js";
import { type ModelFiles, modelFileName } from "../src/router/retrieval/model-files.js";
import { catalogVectors, type TextEncoder } from "../src/router/retrieval/text-encoder.js";
import { normaliserVersion } from "../src/router/retrieval/words.js";
import { groupBy } from "../src/base/group-by.js";
import { type SeededRandom, seededRandom } from "../src/base/numbers/seeded-random.js";
import { featureNames, SimilarityFeatures } from "../src/router/verification/similarity-features.js";
import { collectPairs, joinPairs, type LabelledPairs } from "./collect-pairs.js";
import { drawCatalog, type DrawnCatalog, type ExampleRange, type LabelledCatalog } from "./draw-catalog.js";
import { linearGraph } from "../src/router/verification/linear-graph.js";
import { epochs, fitLinearVerifier, type LinearFitSettings, linearWeights } from "./linear-verifier.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { choleskyInPlace, solveInPlace } from "../src/router/retrieval/cholesky.js";

export interface VerifierSource extends LabelledCatalog {
  /** Name in the model card, e.g. "banking77". */
  readonly name: string;
}

/** The retriever whose candidates the verifier will score. */
export interface FitRetriever {
  readonly model: RetrieverModel;
  /** Encoder that processes each distinct text once; null for a retriever without an encoder. */
  readonly encoder: TextEncoder | null;
}

export interface VerifierFitOptions {
  readonly retriever: FitRetriever;
  readonly sources: readonly VerifierSource[];
  /** Number of drawn catalogs with and as many without examples, integer >= 0; 0 fits on the unchanged catalog of the only source. */
  readonly catalogs: number;
  /** Texts without a workflow, e.g. sentences of a lexicon, which become some of the requests of each catalog. */
  readonly background: readonly string[];
  readonly seed: number;
  readonly onProgress: (phase: "catalogs" | "epochs", done: number, total: number) => void;
  readonly signal: AbortSignal;
}

export interface FittedVerifier {
  /** Files of the model directory by relative path. */
  readonly files: ModelFiles;
  readonly pairs: number;
  /** Cross-entropy over the requests in the last epoch of the fit with examples, nats. */
  readonly loss: number;
}

/** Number of candidates per request to learn from; the right workflow is nearly always among them. */
const candidates = 8;

/** Catalogs whose workflows have so many examples, and how their weights are fitted. */
interface Kind extends ExampleRange, LinearFitSettings {
  readonly graph: string;
}

/**
 * Without examples, the columns say more than the retrieval score; with some, they rarely improve on it. Settings chosen
 * with `bench/panel.ts`.
 */
const withExamples: Kind = { least: 1, most: 10, graph: "model.onnx", ridge: 0.03, retrieverShare: 0.3 };
const withoutExamples: Kind = { least: 0, most: 0, graph: "no-examples.onnx", ridge: 0.01, retrieverShare: 0.2 };

/**
 * Fits a verifier of kind `linear` on the retriever's candidates: over drawn catalogs with examples, and with weights of
 * their own over drawn catalogs without. Deterministic for equal inputs and seed.
 * @throws {SluiceError} FIT_FAILED, INTERRUPTED
 */
export async function fitVerifier(options: VerifierFitOptions): Promise<FittedVerifier> {
  const { sources, catalogs, seed, retriever } = options;
  const random = seededRandom(seed);
  const examples = await commitmentExamples(options);
  const files = new Map<string, Buffer>();
  const fitted: FittedGraph[] = [];
  for (const kind of catalogs === 0 ? [withExamples] : [withoutExamples, withExamples]) {
    const pairs = joinPairs(await pairsOfCatalogs(options, kind, examples, random));
    const scorer = fitLinearVerifier(pairs, kind, random, (epoch) => options.onProgress("epochs", epoch, epochs));
    files.set(kind.graph, onnxModel(linearGraph(linearWeights(scorer))));
    fitted.push({ pairs: pairs.labels.length, loss: scorer.loss });
  }
  const pairs = fitted.reduce((sum, one) => sum + one.pairs, 0);
  const model: LinearVerifierModel = {
    schema_version: 1,
    role: "verifier",
    kind: "linear",
    normaliser: normaliserVersion,
    version: `linear-${retriever.model.version}`,
    capability: "production",
    label_order: [...verifierLabels],
    graph: withExamples.graph,
    graph_without_examples: catalogs === 0 ? null : withoutExamples.graph,
    features: [...featureNames],
    retriever: retriever.model.version,
    commitment: fitCommitment(examples),
    fitted_on: { tasks: sources.map(({ name, requests }) => ({ name, requests: requests.length })), pairs, seed },
  };
  return { files: files.set(modelFileName, canonicalBytes(model)), pairs, loss: fitted.at(-1)?.loss ?? Number.NaN };
}

type FittedGraph = Pick<FittedVerifier, "pairs" | "loss">;

/** Labelled requests with their vectors for the commitment detector; none without an encoder. */
async function commitmentExamples({ retriever, sources }: VerifierFitOptions): Promise<readonly CommitmentExample[]> {
  const { encoder, model } = retriever;
  if (encoder === null) return [];
  const labelled = sources.flatMap((source) => {
    const byId = new Map(source.workflows.map((workflow) => [workflow.workflow_id, workflow]));
    return firstOfEach(source.requests).flatMap(({ text, workflow_id: workflowId }) => {
      const workflow = workflowId === null ? undefined : byId.get(workflowId);
      if (workflow === undefined) return [];
      return [{ text, commits: workflow.side_effect !== "read_only", group: subjectOf(source, workflow) }];
    });
  });
  const classes = groupBy(labelled, ({ group }) => group);
  const examples: CommitmentExample[] = [];
  for (const { text, commits, group } of labelled) {
    if (classes.get(group)?.every((other) => other.commits === commits)) continue;
    const { vector } = await encoder.encode(model.prefix.query + text, unbounded);
    examples.push({ vector, commits, group });
  }
  return examples;
}

/** The subject of a workflow: its service if stated in the metadata, otherwise its source. */
function subjectOf({ name }: VerifierSource, { metadata }: Workflow): string {
  const subject = metadata["domain"] ?? metadata["service"];
  return typeof subject === "string" ? `${name} ${subject}` : name;
}

/** Sources from which catalogs are drawn together, and a detector that was not fitted on any of their subjects. */
interface Part {
  readonly sources: readonly VerifierSource[];
  readonly commitment: LinearVerifierModel["commitment"];
}

/**
 * Two parts with every other subject each, so that the verifier learns how far to trust the detector on subjects that
 * the detector has not seen. A source with a single subject is in both parts.
 */
function partsOf(sources: readonly VerifierSource[], examples: readonly CommitmentExample[]): readonly Part[] {
  return [0, 1].map((part) => {
    const isRead = new Set<string>();
    const own = sources.map((source) => {
      const subjects = [...new Set(source.workflows.map((workflow) => subjectOf(source, workflow)))].sort();
      const mine = new Set(subjects.length === 1 ? subjects : subjects.filter((_, place) => place % 2 === part));
      if (subjects.length > 1) for (const subject of mine) isRead.add(subject);
      const workflows = source.workflows.filter((workflow) => mine.has(subjectOf(source, workflow)));
      const ids = new Set(workflows.map(({ workflow_id: workflowId }) => workflowId));
      const requests = source.requests.filter(
        ({ workflow_id: workflowId }) => workflowId === null || ids.has(workflowId),
      );
      return { ...source, workflows, requests };
    });
    return { sources: own, commitment: fitCommitment(examples.filter(({ group }) => !isRead.has(group))) };
  });
}

async function pairsOfCatalogs(
  options: VerifierFitOptions,
  range: ExampleRange,
  examples: readonly CommitmentExample[],
  random: SeededRandom,
): Promise<readonly LabelledPairs[]> {
  const { sources, catalogs, background, onProgress } = options;
  const [only] = sources;
  if (only === undefined) throw new SluiceError("FIT_FAILED", "verifier: there are no labelled requests to learn from");
  if (catalogs === 0) return [await pairsOf(only, fitCommitment(examples), options)];
  const parts = partsOf(sources, examples);
  const found: LabelledPairs[] = [];
  for (let catalog = 0; catalog < catalogs; catalog += 1) {
    const part = parts[catalog % parts.length] ?? { sources, commitment: null };
    found.push(await pairsOf(drawCatalog(part.sources, background, range, random), part.commitment, options));
    onProgress("catalogs", found.length, catalogs);
  }
  return found;
}

async function pairsOf(
  { workflows, requests }: DrawnCatalog,
  commitment: LinearVerifierModel["commitment"],
  { retriever: { model, encoder }, signal }: VerifierFitOptions,
): Promise<LabelledPairs> {
  const patterns = compileInputPatterns({ catalog_version: "drawn", sha256: sha256Hex(""), workflows });
  const encoded =
    encoder === null ? null : { encoder, vectors: await catalogVectors(encoder, model, workflows), heads: null };
  const retriever = await HybridRetriever.create({ model, encoded }, workflows, { signal });
  return collectPairs({
    requests,
    workflows: new Map(workflows.map((workflow) => [workflow.workflow_id, workflow])),
    retriever,
    features: new SimilarityFeatures(workflows, retriever.index, patterns, commitment),
    patterns,
    topK: candidates,
    signal,
  });
}

type Detector = NonNullable<LinearVerifierModel["commitment"]>;

interface CommitmentExample {
  readonly vector: Float32Array;
  /** Whether the right workflow has a side effect. */
  readonly commits: boolean;
  /** Requests of one group have the same subject, e.g. the same service. */
  readonly group: string;
}

const ridge = 1e-3;
const newtonSteps = 12;
/** Maximum number of requests per workflow, so that frequent workflows do not dominate. */
const mostRequestsEach = 120;

/**
 * Logistic regression of `commits` on sentence vectors. Each group is centred on the midpoint of its two classes, which
 * have equal weight. This removes the subject of a group, so only the phrasing counts.
 * @returns  null if fewer than two groups have both classes
 */
function fitCommitment(examples: readonly CommitmentExample[]): Detector | null {
  const groups = [...groupBy(examples, ({ group }) => group).values()].flatMap((members) => {
    const classes = [true, false].map((commits) => members.filter((member) => member.commits === commits));
    return classes.every(({ length }) => length > 0) ? [classes] : [];
  });
  if (groups.length < 2) return null;
  const dimensions = examples[0]?.vector.length ?? 0;
  const centres = groups.map((classes) => midpoint(classes.map((members) => meanOf(members, dimensions))));
  const rows = groups.flatMap((classes, group) =>
    classes.flatMap((members) =>
      members.map(({ vector, commits }) => ({
        centred: Float64Array.from(vector, (value, d) => value - (centres[group]?.[d] ?? 0)),
        target: commits ? 1 : 0,
        weight: 1 / (2 * groups.length * members.length),
      })),
    ),
  );
  const weights = new Float64Array(dimensions);
  for (let step = 0; step < newtonSteps; step += 1) newtonStep(rows, weights);
  const centre = midpoint(centres);
  const bias = -weights.reduce((sum, weight, d) => sum + weight * (centre[d] ?? 0), 0);
  const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
  return { bias: rounded(bias), weights: Array.from(weights, rounded) };
}

interface WeightedRow {
  readonly centred: Float64Array;
  readonly target: number;
  readonly weight: number;
}

function newtonStep(rows: readonly WeightedRow[], weights: Float64Array): void {
  const n = weights.length;
  const hessian = new Float64Array(n * n);
  const gradient = Float64Array.from(weights, (weight) => ridge * weight);
  for (let i = 0; i < n; i += 1) hessian[i * n + i] = ridge;
  for (const { centred, target, weight } of rows) {
    let logit = 0;
    for (let d = 0; d < n; d += 1) logit += weights[d] * centred[d];
    const p = 1 / (1 + Math.exp(-logit));
    const curvature = weight * p * (1 - p);
    for (let i = 0; i < n; i += 1) {
      gradient[i] += weight * (p - target) * centred[i];
      const scaled = curvature * centred[i];
      for (let j = 0; j <= i; j += 1) hessian[i * n + j] += scaled * centred[j];
    }
  }
  choleskyInPlace(hessian, n);
  solveInPlace(hessian, n, gradient);
  for (let d = 0; d < n; d += 1) weights[d] -= gradient[d];
}

function meanOf(members: readonly CommitmentExample[], dimensions: number): Float64Array {
  const mean = new Float64Array(dimensions);
  for (const { vector } of members) for (let d = 0; d < dimensions; d += 1) mean[d] += vector[d] / members.length;
  return mean;
}

const midpoint = (points: readonly Float64Array[]): Float64Array =>
  Float64Array.from(points[0] ?? [], (_, d) => points.reduce((sum, point) => sum + point[d], 0) / points.length);

/** The first requests of each workflow, at most `mostRequestsEach`, in the given order. */
function firstOfEach(requests: readonly LabelledRequest[]): readonly LabelledRequest[] {
  const taken = new Map<string, number>();
  return requests.filter(({ workflow_id: workflowId }) => {
    if (workflowId === null) return false;
    const count = taken.get(workflowId) ?? 0;
    taken.set(workflowId, count + 1);
    return count < mostRequestsEach;
  });
}
