import type { Workflow } from "../src/documents/catalog.js";
import { unbounded } from "../src/documents/run-scope.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { verifierLabels } from "../src/documents/choices.js";
import { SluiceError } from "../src/base/error.js";
import type { InputPatterns } from "../src/router/inputs/input-patterns.js";
import { resolveInputs } from "../src/router/inputs/resolve.js";
import { bestPositions } from "../src/router/retrieval/best-positions.js";
import type { HybridRetriever } from "../src/router/retrieval/hybrid-retriever.js";
import type { SimilarityFeatures } from "../src/router/verification/similarity-features.js";

/** Feature rows with their class; one row per pair of request and candidate. */
export interface LabelledPairs {
  /** Shape (pairs, features), row-major. */
  readonly values: Float32Array;
  readonly features: number;
  readonly labels: Uint8Array;
  /** Rows of request r are starts[r] to starts[r + 1] (exclusive), in ranking order. */
  readonly starts: Int32Array;
}

export interface PairMaterial {
  readonly requests: readonly LabelledRequest[];
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly retriever: HybridRetriever;
  readonly features: SimilarityFeatures;
  readonly patterns: InputPatterns;
  /** Number of candidates per request, as when serving. */
  readonly topK: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * The candidates that would be verified when serving, with labels: the gold workflow is `executable`, or `needs_input`
 * if the request lacks an input. Every other candidate, and every candidate of an out-of-scope request, is `mismatch`.
 * @throws {SluiceError} INTERRUPTED
 */
export async function collectPairs(source: PairMaterial): Promise<LabelledPairs> {
  const rows: Float32Array[] = [];
  const labels: number[] = [];
  const starts: number[] = [0];
  for (const [index, request] of source.requests.entries()) {
    if (source.signal?.aborted === true)
      throw new SluiceError("INTERRUPTED", "fitting was interrupted; nothing was written");
    const ranking = await source.retriever.rank(request.text, unbounded);
    const positions = bestPositions(ranking, source.topK);
    rows.push(source.features.of(request.text, ranking, positions).values);
    for (const position of positions) labels.push(labelOf(source, request, ranking.workflowIds[position] ?? ""));
    starts.push(labels.length);
    source.onProgress?.(index + 1, source.requests.length);
  }
  const features = source.features.names.length;
  const values = new Float32Array(labels.length * features);
  let offset = 0;
  for (const block of rows) {
    values.set(block, offset);
    offset += block.length;
  }
  return { values, features, labels: Uint8Array.from(labels), starts: Int32Array.from(starts) };
}

export function joinPairs(parts: readonly LabelledPairs[]): LabelledPairs {
  const features = parts[0]?.features ?? 0;
  const count = parts.reduce((sum, { labels }) => sum + labels.length, 0);
  const values = new Float32Array(count * features);
  const labels = new Uint8Array(count);
  const starts: number[] = [0];
  let offset = 0;
  for (const part of parts) {
    values.set(part.values, offset * features);
    labels.set(part.labels, offset);
    for (const end of part.starts.subarray(1)) starts.push(offset + end);
    offset += part.labels.length;
  }
  return { values, features, labels, starts: Int32Array.from(starts) };
}

function labelOf(source: PairMaterial, request: LabelledRequest, candidate: string): number {
  if (candidate !== request.workflow_id) return verifierLabels.indexOf("mismatch");
  return verifierLabels.indexOf(lacksInput(source, request, candidate) ? "needs_input" : "executable");
}

function lacksInput(source: PairMaterial, request: LabelledRequest, candidate: string): boolean {
  if (request.missing_inputs !== undefined && request.missing_inputs !== null) return request.missing_inputs.length > 0;
  const workflow = source.workflows.get(candidate);
  if (workflow === undefined) return false;
  const given = { text: request.text, context: request.context ?? {} };
  return resolveInputs(workflow, given, source.patterns, unbounded).missing.length > 0;
}
