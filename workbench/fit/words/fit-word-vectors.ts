import { SluiceError } from "../../../src/errors/error.js";
import { seededRandom } from "../../../src/stats/seeded-random.js";
import { onnxModel } from "../../../src/inference/onnx-graph.js";
import { plainGraph } from "../../../src/inference/plain-graph.js";
import type { InferencePool } from "../../../src/inference/pool.js";
import type { Vocabulary } from "../../../src/retrieval/words/vocabulary.js";
import { countCoOccurrences } from "./co-occurrence.js";
import { contrastiveStep } from "./contrastive-fit.js";
import { contrastiveGraph } from "./contrastive-graph.js";
import { type Corpus, readCorpus } from "./corpus.js";
import type { FitData } from "./fit-data.js";
import type { FitCheckpoint, FitState } from "./fit-state.js";
import { positivePmi } from "./positive-pmi.js";
import { SparseAdam } from "../linalg/sparse-adam.js";
import { sifWeights, startingVectors } from "./starting-vectors.js";
import { pairBlocks } from "./training-pairs.js";
import { leadingFactors } from "../linalg/truncated-svd.js";
import type { VectorSettings } from "./vector-settings.js";

/** Trained vectors times their SIF weights. */
export interface FittedVectors {
  readonly vocabulary: Vocabulary;
  readonly dimensions: number;
  /** Shape (vocabulary, dimensions), row-major. */
  readonly values: Float32Array;
}

export interface VectorFitOptions {
  readonly settings: VectorSettings;
  /** 32-bit integer; equal data, settings and seed give equal bytes on one kind of processor. */
  readonly seed: number;
  /** Where the state is stored, and the identity of this fit: its data, settings and seed. */
  readonly checkpoint: { readonly store: FitCheckpoint; readonly identity: string };
  readonly pool: InferencePool;
  /** After every `stepsBetweenReports` steps and the last one, once for a fit whose stored state is finished. */
  readonly onProgress: (report: FitReport) => void;
  readonly signal: AbortSignal;
}

export interface FitReport {
  readonly steps: number;
  /** Mean loss of the steps since the last report, nats per pair. */
  readonly loss: number;
  readonly vectors: () => FittedVectors;
}

const stepsBetweenReports = 100;

/**
 * Word vectors of the data's own vocabulary: co-occurrence (positive mutual information, truncated SVD), then a
 * contrastive fit on texts with the same meaning.
 * @throws {SluiceError} FIT_FAILED for data without words or pairs; INTERRUPTED; the state is stored
 */
export async function fitWordVectors(data: FitData, options: VectorFitOptions): Promise<FittedVectors> {
  const { settings, seed, checkpoint, pool, onProgress, signal } = options;
  const corpus = readCorpus(data, settings.vocabulary);
  const sources = pairBlocks(corpus);
  if (sources.length === 0) {
    throw new SluiceError("FIT_FAILED", "the data contains no two texts that belong together", {
      hint: "Add at least two workflows with two requests each, or a lexicon.",
    });
  }
  const weights = sifWeights(corpus.vocabulary, settings.sif);
  const state = (await checkpoint.store.read(checkpoint.identity)) ?? startOf(corpus, settings, seed);
  const { values } = state;
  const adam = new SparseAdam(settings.dimensions, settings.contrastive.rate, state);
  const { dimensions: width, contrastive } = settings;
  const graph = await pool.load(plainGraph(onnxModel(contrastiveGraph(width, contrastive.scale))));
  const vectors = () => weighted(corpus.vocabulary, values, weights);
  const report = (): void => onProgress({ ...reportOf(state), vectors });
  while (state.steps < contrastive.steps) {
    const random = seededRandom(stepSeed(seed, state.steps));
    const trained = { width, values, weights };
    state.losses.push(await contrastiveStep(trained, sources, contrastive, { graph, adam, random }));
    const isReport = state.steps % stepsBetweenReports === 0;
    const isKept = isReport || signal.aborted || state.steps === contrastive.steps;
    if (isKept) await checkpoint.store.write(checkpoint.identity, state);
    if (signal.aborted) throw interrupted(state, settings);
    if (isReport && state.steps < contrastive.steps) report();
  }
  report();
  return vectors();
}

/** Every step draws from a separate random stream, so that resuming needs no generator state. */
const stepSeed = (seed: number, step: number): number => (Math.imul(seed + 1, 0x9e3779b1) + step + 1) | 0;

function startOf(corpus: Corpus, settings: VectorSettings, seed: number): FitState {
  const random = seededRandom(seed);
  const matrix = positivePmi(countCoOccurrences(corpus, settings.coOccurrence));
  const factors = leadingFactors(matrix, settings.dimensions, random);
  const values = startingVectors(factors, settings.dimensions, settings.identity, random);
  const zeros = () => new Float32Array(values.length);
  return { steps: 0, values, mean: zeros(), square: zeros(), losses: [] };
}

function weighted(vocabulary: Vocabulary, values: Float32Array, weights: Float64Array): FittedVectors {
  const dimensions = values.length / vocabulary.lemmas.length;
  const scaled = values.map((value, at) => value * weights[Math.floor(at / dimensions)]);
  return { vocabulary, dimensions, values: scaled };
}

function reportOf({ steps, losses }: FitState): { readonly steps: number; readonly loss: number } {
  const recent = losses.slice(-stepsBetweenReports);
  return { steps, loss: recent.reduce((sum, loss) => sum + loss, 0) / recent.length };
}

const interrupted = ({ steps }: FitState, { contrastive }: VectorSettings): SluiceError =>
  new SluiceError("INTERRUPTED", `the fit stopped after ${steps} of ${contrastive.steps} steps`, {
    hint: "Run the same command again: it resumes there.",
  });
