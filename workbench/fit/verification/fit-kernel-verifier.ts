import { canonicalBytes } from "../../../src/digest/canonical-json.js";
import { sha256Hex } from "../../../src/digest/sha256.js";
import { type KernelEvidenceWire, verifierLabels, type WordKernelsRetrieverModel } from "../../../src/domain/model.js";
import { SluiceError } from "../../../src/errors/error.js";
import { onnxModel } from "../../../src/inference/onnx-graph.js";
import type { InferencePool } from "../../../src/inference/pool.js";
import { compileInputPatterns } from "../../../src/inputs/input-patterns.js";
import { WordKernelsRetriever } from "../../../src/retrieval/kernels/word-kernels-retriever.js";
import { type ModelFiles, modelFileName } from "../../../src/retrieval/model-files.js";
import { normaliserVersion } from "../../../src/retrieval/words/normaliser.js";
import type { WordVectors } from "../../../src/retrieval/words/word-vectors.js";
import { type SeededRandom, seededRandom } from "../../../src/stats/seeded-random.js";
import { KernelEvidence, kernelEvidenceFeatures } from "../../../src/verification/kernel-evidence.js";
import { collectPairs, type LabelledPairs } from "./collect-pairs.js";
import { type LabelledCatalog, type DrawnCatalog, drawCatalog } from "./draw-catalog.js";
import { defaultNetworkFit, fitPairNetwork, type NetworkFitSettings } from "./fit-pair-network.js";

/** Labelled requests of FIT, from which catalogs are drawn. */
export interface VerifierSource extends LabelledCatalog {
  /** As the model card names it, such as "banking77". */
  readonly name: string;
  /**
   * Vectors that were not fitted on labels of these workflows: similarities among seen workflows are larger than
   * among unseen ones. Sources that share a `WordVectors` object may be drawn into one catalog.
   */
  readonly vectors: WordVectors | null;
}

export interface KernelVerifierFitOptions {
  /** Kernel and head settings of the retriever that the verifier will read. */
  readonly retriever: WordKernelsRetrieverModel;
  readonly sources: readonly VerifierSource[];
  /** Catalogs drawn for each set of sources that share vectors. Default 96. */
  readonly catalogs?: number;
  /** Texts that belong to no workflow, such as sentences of a lexicon: some of the requests of each catalog. */
  readonly background?: readonly string[];
  readonly seed: number;
  readonly pool: InferencePool;
  readonly onProgress?: (stage: "catalogs" | "epochs", done: number, total: number, loss: number | null) => void;
  readonly signal?: AbortSignal;
}

export interface FittedKernelVerifier {
  /** Files of the model directory by relative path. */
  readonly files: ModelFiles;
  readonly pairs: number;
  /** Cross-entropy of the last pass over the pairs, mean of the networks, nats. */
  readonly loss: number;
}

const usualCatalogs = 96;
/** Averaging an ensemble improves the uncertainty estimates. */
const networkFit: NetworkFitSettings = { ...defaultNetworkFit, networks: 3 };
/**
 * Candidates per request: the two that usually decide. Pairs far down the ranking are easy and would dominate the
 * fit.
 */
const topK = 2;

/**
 * Fits the pair verifier of kind kernel_evidence on the retriever's own candidates over drawn catalogs. Deterministic
 * for equal inputs and seed.
 * @throws {SluiceError} FIT_FAILED, INTERRUPTED
 */
export async function fitKernelVerifier(options: KernelVerifierFitOptions): Promise<FittedKernelVerifier> {
  const random = seededRandom(options.seed);
  const pairs = joinPairs(await drawnPairs(options, random));
  const passes = networkFit.networks * networkFit.epochs;
  const { network, standardisation, loss } = fitPairNetwork(pairs, networkFit, random, (pass, passLoss) =>
    options.onProgress?.("epochs", pass, passes, passLoss),
  );
  const model: KernelEvidenceWire = {
    schema_version: 1,
    role: "verifier",
    kind: "kernel_evidence",
    normaliser: normaliserVersion,
    version: "kernel-evidence-1",
    capability: "production",
    label_order: [...verifierLabels],
    graph: "model.onnx",
    features: [...kernelEvidenceFeatures],
    fitted_on: {
      tasks: options.sources.map(({ name, requests }) => ({ name, requests: requests.length })),
      pairs: pairs.labels.length,
      seed: options.seed,
    },
  };
  const files = new Map([
    [modelFileName, canonicalBytes(model)],
    ["model.onnx", onnxModel(network.toGraph(standardisation))],
  ]);
  return { files, pairs: pairs.labels.length, loss };
}

async function drawnPairs(options: KernelVerifierFitOptions, random: SeededRandom): Promise<readonly LabelledPairs[]> {
  const sets = setsByVectors(options.sources);
  const catalogs = options.catalogs ?? usualCatalogs;
  const found: LabelledPairs[] = [];
  for (const sources of sets) {
    for (let catalog = 0; catalog < catalogs; catalog += 1) {
      const drawn = drawCatalog(sources, options.background ?? [], random);
      found.push(await pairsOf(drawn, sources[0]?.vectors ?? null, options));
      options.onProgress?.("catalogs", found.length, sets.length * catalogs, null);
    }
  }
  return found;
}

function setsByVectors(sources: readonly VerifierSource[]): readonly (readonly VerifierSource[])[] {
  const distinct = [...new Set(sources.map(({ vectors }) => vectors))];
  return distinct.map((vectors) => sources.filter((source) => source.vectors === vectors));
}

async function pairsOf(
  { workflows, requests }: DrawnCatalog,
  vectors: WordVectors | null,
  { retriever: model, pool, signal }: KernelVerifierFitOptions,
): Promise<LabelledPairs> {
  const patterns = compileInputPatterns({ catalogVersion: "drawn", sha256: sha256Hex(""), workflows });
  const retriever = await WordKernelsRetriever.create({ model, vectors }, workflows, pool, { signal });
  return collectPairs({
    requests,
    workflows: new Map(workflows.map((workflow) => [workflow.workflowId, workflow])),
    retriever,
    evidence: new KernelEvidence(workflows, patterns),
    patterns,
    topK,
    ...(signal === undefined ? {} : { signal }),
  });
}

function joinPairs(parts: readonly LabelledPairs[]): LabelledPairs {
  if (parts.length === 0) throw new SluiceError("FIT_FAILED", "verifier: no catalog was drawn, there are no sources");
  const features = kernelEvidenceFeatures.length;
  const count = parts.reduce((sum, { labels }) => sum + labels.length, 0);
  const joined = {
    evidence: new Float32Array(count * features),
    labels: new Uint8Array(count),
    features,
    requests: parts.reduce((sum, { requests }) => sum + requests, 0),
  };
  let offset = 0;
  for (const { evidence, labels } of parts) {
    joined.evidence.set(evidence, offset * features);
    joined.labels.set(labels, offset);
    offset += labels.length;
  }
  return joined;
}
