import { splitByWorkflow, foldOf } from "../../datasets/split-by-workflow.js";
import { datasetBytes } from "../../datasets/dataset-bytes.js";
import { readDirectory } from "../../src/trust/directory-hash.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { clusterOf } from "../../src/documents/dataset.js";
import type { ModelSources } from "../../src/router/load-models.js";
import { lexicalRetrieverModel } from "../../src/router/retrieval/load-retriever.js";
import { modelFileName } from "../../src/router/retrieval/model-files.js";
import { fitVerifier } from "../../train/fit-verifier.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../../test/support/service-desk.js";

/** Models with a name for the printed results. */
export interface NamedModels {
  readonly system: string;
  /** The training data of the models. */
  readonly fittedOn: string;
  readonly sources: ModelSources;
}

/** The models of `sluice model fit-lexical` on the FIT fold (seed 1) of the shipped dataset. Takes seconds. */
export async function defaultModels(): Promise<NamedModels> {
  const catalog = await serviceDeskCatalog();
  const rows = serviceDeskRequests();
  const dataset = { sha256: sha256Hex(datasetBytes(rows)), rows };
  const folds = foldOf(splitByWorkflow({ dataset, catalog, seed: 1 }));
  const requests = rows.filter((row) => folds.get(clusterOf(row)) === "fit");
  const { files, pairs } = await fitVerifier({
    retriever: { model: lexicalRetrieverModel, encoder: null },
    sources: [{ name: "service-desk", workflows: catalog.workflows, requests }],
    catalogs: 0,
    background: [],
    seed: 1,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  const description = Buffer.from(JSON.stringify(lexicalRetrieverModel));
  return {
    system: "Sluice, lexical models",
    fittedOn: `FIT fold of datasets/service-desk, ${pairs} pairs`,
    sources: { retrieverFiles: new Map([[modelFileName, description]]), verifierFiles: files },
  };
}

/** Loads the models of two directories. */
export async function modelsOf(retriever: string, verifier: string): Promise<NamedModels> {
  const [retrieverFolder, verifierFolder] = [await readDirectory(retriever), await readDirectory(verifier)];
  return {
    system: `Sluice, ${retriever} and ${verifier}`,
    fittedOn: "as the model directories say",
    sources: { retrieverFiles: retrieverFolder.files, verifierFiles: verifierFolder.files },
  };
}
