/** Writes a signed bundle of the default models over an invented catalog of any size. */
import type { Workflow } from "../../src/documents/catalog.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { InferencePool } from "../../src/inference/pool.js";
import { SharedRows } from "../../src/inference/shared-rows.js";
import { activeWorkflows } from "../../src/router/policy/eligibility.js";
import { catalogTexts } from "../../src/router/retrieval/catalog-texts.js";
import type { Heads, HeadWeights } from "../../src/router/retrieval/head.js";
import { parseRetrieverModel } from "../../src/router/retrieval/parse-retriever.js";
import { comparableTexts } from "../../src/router/retrieval/similarity-index.js";
import { headBytes } from "../../src/router/retrieval/stored-heads.js";
import { storedVectorsVersion, vectorFile } from "../../src/router/retrieval/stored-vectors.js";
import { openTransformer } from "../../src/router/retrieval/text-encoder.js";
import type { ModelSources } from "../../src/router/load-models.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { parseVerifierModel } from "../../src/router/verification/parse-verifier.js";
import { aPolicy } from "../../test/support/builders.js";
import { testManifest } from "../../test/support/builders-artifacts.js";
import { writeServableBundle } from "../../test/support/servable-bundle.js";
import { inventedCatalog } from "../suites/invented-catalog.js";
import { defaultModels } from "./default-models.js";

const negatives = 48;

export interface LargeBundle {
  /** Folder for the bundle; must be empty or not exist. */
  readonly directory: string;
  readonly workflows: number;
  readonly release: number;
}

/**
 * Vectors and heads are invented, because encoding 130,000 texts and fitting 10,000 heads takes minutes. Times and
 * memory are realistic, scores are meaningless.
 * @returns  requests to the catalog
 */
export async function writeLargeBundle(
  { directory, workflows: count, release }: LargeBundle,
  requests: number,
): Promise<readonly string[]> {
  const sources = await defaultModels();
  const { catalog, texts } = await inventedCatalog(count, requests);
  const catalogVersion = `catalog-${release}`;
  const workflows = catalog.workflows.map((workflow) => ({ ...workflow, owner: "team" }));
  const catalogBytes = canonicalBytes({ schema_version: 1, catalog_version: catalogVersion, workflows });
  const vectors = await inventedVectors(sources, activeWorkflows({ ...catalog, workflows }));
  // A text without words matches no workflow, regardless of the vectors.
  const nothing = { text: "?", decision: "LLM_REQUIRED", workflow_id: null, reason_code: "NO_WORKFLOW", confidence: 0 };
  const golden = canonicalBytes({ schema_version: 1, tolerance: 0, cases: [nothing] });
  const policy = aPolicy({ deadline_ms: 30_000 });
  const [retriever, verifier] = [
    parseRetrieverModel(sources.retrieverFiles),
    parseVerifierModel(sources.verifierFiles),
  ];
  const changed = (files: Map<string, Buffer>): void => {
    for (const path of files.keys()) if (path.startsWith("models/")) files.delete(path);
    files.set("catalog.yaml", catalogBytes);
    files.set("policy.json", canonicalBytes(policy));
    files.set("golden.json", golden);
    files.set("index/vectors", vectors);
    for (const [path, bytes] of sources.retrieverFiles) files.set(`models/retriever/${path}`, bytes);
    for (const [path, bytes] of sources.verifierFiles) files.set(`models/verifier/${path}`, bytes);
  };
  const models = new Map<string, Buffer>();
  changed(models);
  const base = testManifest(models);
  await writeServableBundle(directory, catalogVersion, {
    files: changed,
    manifest: {
      release,
      rollback_floor: 1,
      retriever: { ...base.retriever, version: retriever.version },
      verifier: { ...base.verifier, version: verifier.version },
      prefix: retriever.prefix,
      label_order: [...verifier.label_order],
      vectors: { version: storedVectorsVersion, sha256: sha256Hex(vectors), bytes: vectors.length },
    },
  });
  return texts;
}

async function inventedVectors({ retrieverFiles }: ModelSources, workflows: readonly Workflow[]): Promise<Buffer> {
  const model = parseRetrieverModel(retrieverFiles);
  if (model.kind !== "encoder") throw new Error("the default retriever has no encoder");
  const random = seededRandom(1);
  const { starts } = catalogTexts(workflows);
  const vectors = SharedRows.ofSize(starts.at(-1) ?? 0, model.dimensions);
  for (let place = 0; place < vectors.rows; place += 1) {
    const row = vectors.row(place);
    for (let d = 0; d < row.length; d += 1) row[d] = random.uniform() - 0.5;
    const norm = Math.hypot(...row);
    for (let d = 0; d < row.length; d += 1) row[d] = (row[d] ?? 0) / norm;
  }
  const head = (): HeadWeights => inventedHead(starts, (low, high) => random.integer(low, high));
  const heads: Heads = { mixed: head(), encoder: head(), lexical: head() };
  const pool = new InferencePool({ workers: 1, queueLimit: 1 });
  try {
    const { identity } = await openTransformer(retrieverFiles, model, pool);
    const stored = vectors.rows > comparableTexts ? headBytes(model, heads) : Buffer.alloc(0);
    return await vectorFile({ model, identity }, workflows, vectors, stored);
  } finally {
    await pool.close();
  }
}

/** A head with the workflow's own texts, and random texts as hard negatives. */
function inventedHead(textStarts: Int32Array, integer: (low: number, high: number) => number): HeadWeights {
  const count = textStarts.at(-1) ?? 0;
  const starts = [0];
  const texts: number[] = [];
  const weights: number[] = [];
  for (let workflow = 0; workflow + 1 < textStarts.length; workflow += 1) {
    for (let text = textStarts[workflow] ?? 0; text < (textStarts[workflow + 1] ?? 0); text += 1) {
      texts.push(text);
      weights.push(0.2);
    }
    for (let negative = 0; negative < negatives; negative += 1) {
      texts.push(integer(0, count - 1));
      weights.push(-0.01);
    }
    starts.push(texts.length);
  }
  return { starts: Int32Array.from(starts), texts: Int32Array.from(texts), weights: Float32Array.from(weights) };
}
