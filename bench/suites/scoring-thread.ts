/** Runs the scorer of a thread in this thread, to measure the cost of a request without messages and HTTP. */
import type { Catalog } from "../../src/documents/catalog.js";
import type { Job, ScorerSpec } from "../../src/inference/protocol.js";
import { createWorkerModel } from "../../src/inference/models/create-worker-model.js";
import { LocalModels, type ModelHost } from "../../src/inference/models/local-models.js";
import type { WorkerModel } from "../../src/inference/models/worker-model.js";
import type { EncoderRetrieverModel } from "../../src/documents/model.js";
import type { ModelSources } from "../../src/router/load-models.js";
import type { ModelFiles } from "../../src/router/retrieval/model-files.js";
import { parseRetrieverModel } from "../../src/router/retrieval/parse-retriever.js";
import { encodeCatalog, openTransformer } from "../../src/router/retrieval/text-encoder.js";
import { parseVerifierModel } from "../../src/router/verification/parse-verifier.js";
import { writeCatalogLines } from "../../src/router/catalog-lines.js";
import { ThreadScorer } from "../../src/router/scoring/thread-scorer.js";
import { defaultModels } from "../serving/default-models.js";

export interface ScoringSettings {
  readonly texts: readonly string[];
  /** Number of requests per message. */
  readonly together: number;
  readonly topK: number;
}

export interface ScoringThread {
  /** Scores all texts once and returns the processor time per text in microseconds. */
  score(settings: ScoringSettings): Promise<number>;
  close(): Promise<void>;
}

const ineligibleCompetitors = 3;
const ranks = 20;

/** Opens a scorer of models over a catalog in which every workflow may be routed to. Default: the default models. */
export async function scoringThread(catalog: Catalog, models?: ModelSources): Promise<ScoringThread> {
  const { retrieverFiles, verifierFiles } = models ?? (await defaultModels());
  const encoders = new Map<number, WorkerModel>();
  const host: ModelHost = {
    load: async (spec) => {
      encoders.set(1, await createWorkerModel(spec));
      return new LocalModels((model) => encoders.get(model)).at(1);
    },
  };
  const model = parseRetrieverModel(retrieverFiles);
  const encodedCatalog = model.kind === "encoder" ? await encodedBy(model, retrieverFiles, catalog, host) : null;
  const verifier = parseVerifierModel(verifierFiles);
  const files = { retrieverFiles, verifierFiles };
  const lines = await writeCatalogLines(catalog, () => Promise.resolve());
  const spec = {
    kind: "scorer",
    catalog: lines,
    retriever: model,
    verifier,
    ...files,
    encodedCatalog,
    built: null,
  } as const;
  const { signal } = new AbortController();
  const find = (model: number): WorkerModel | undefined => encoders.get(model);
  const scorer = await ThreadScorer.create(spec, { find, onProgress: () => undefined, signal });
  const eligible = new Uint8Array(catalog.workflows.length).fill(1);
  const job = (text: string, id: number, topK: number): Job => ({
    id,
    model: 1,
    input: {
      kind: "request",
      request: {
        text,
        lookedUp: null,
        eligible,
        topK,
        ineligibleCompetitors,
        also: null,
        ranks,
        leftMs: Number.POSITIVE_INFINITY,
        patternBudgetMs: 50,
      },
    },
  });
  const score = async ({ texts, together, topK }: ScoringSettings): Promise<number> => {
    const before = processorMicros();
    for (let from = 0; from < texts.length; from += together) {
      const jobs = texts.slice(from, from + together).map((text, id) => job(text, id, topK));
      for await (const outcome of scorer.run(jobs)) if ("error" in outcome) throw outcome.error;
    }
    return (processorMicros() - before) / texts.length;
  };
  return { score, close: () => scorer.release() };
}

async function encodedBy(
  model: EncoderRetrieverModel,
  files: ModelFiles,
  catalog: Catalog,
  host: ModelHost,
): Promise<ScorerSpec["encodedCatalog"]> {
  const transformer = await openTransformer(files, model, host);
  const { vectors } = await encodeCatalog(transformer, catalog.workflows);
  return { encoder: 1, vectors: vectors.toShare, heads: null };
}

/** Total processor time of all threads of this process, in microseconds. */
export function processorMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
