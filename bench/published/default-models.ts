import { splitByWorkflow, foldOf } from "../../datasets/split-by-workflow.js";
import { datasetBytes } from "../../datasets/dataset-bytes.js";
import { readDirectory } from "../../src/artifacts/directory-hash.js";
import { canonicalJson } from "../../src/digest/canonical-json.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import { clusterOf } from "../../src/domain/dataset.js";
import { defaultPolicy } from "../../src/domain/policy.js";
import { InferencePool } from "../../src/inference/pool.js";
import type { ModelSources } from "../../src/routing/load-models.js";
import { fitLexicalModels } from "../../workbench/fit/verification/fit-lexical-models.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../../test/support/service-desk.js";

/** Models with a name for the printed row. */
export interface NamedModels {
  readonly system: string;
  /** What the models have learned from. */
  readonly fittedOn: string;
  readonly sources: ModelSources;
}

/** The models that `sluice model fit-lexical` makes of the shipped dataset: its FIT fold, seed 1. Takes seconds. */
export async function defaultModels(): Promise<NamedModels> {
  const catalog = await serviceDeskCatalog();
  const rows = serviceDeskRequests();
  const dataset = { sha256: sha256Hex(datasetBytes(rows)), rows };
  const split = splitByWorkflow({ dataset, catalog, seed: 1 });
  const folds = foldOf(split);
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  try {
    const { retriever, verifier, pairs } = await fitLexicalModels({
      catalog,
      fitRequests: rows.filter((row) => folds.get(clusterOf(row)) === "fit"),
      fittedOn: {
        datasetSha256: dataset.sha256,
        splitSha256: sha256Hex(canonicalJson(split)),
        catalogSha256: catalog.sha256,
      },
      topK: defaultPolicy.top_k,
      seed: 1,
      pool,
    });
    return {
      system: "Sluice, default lexical models",
      fittedOn: `FIT fold of datasets/service-desk, ${pairs} pairs`,
      sources: { retrieverFiles: retriever, verifierFiles: verifier },
    };
  } finally {
    await pool.close();
  }
}

/** Models of two directories. */
export async function modelsOf(retriever: string, verifier: string): Promise<NamedModels> {
  const [retrieverFolder, verifierFolder] = [await readDirectory(retriever), await readDirectory(verifier)];
  return {
    system: `Sluice, ${retriever} and ${verifier}`,
    fittedOn: "as the model directories say",
    sources: { retrieverFiles: retrieverFolder.files, verifierFiles: verifierFolder.files },
  };
}
