import { type AlikeTexts, alikeTexts, examplesOf } from "../../datasets/families.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { vectorsOfTexts } from "../../src/router/load-models.js";
import { readDirectory } from "../../src/trust/directory-hash.js";
import { embeddingCacheFolder } from "../../store/embedding-cache-file.js";
import { stepOf } from "../../store/step-progress.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

/** Number of inference threads. */
const workers = 2;

/**
 * Finds texts with the same meaning by the encoder of a retriever folder, before they are divided into folds. The
 * vectors are cached in the workspace, so that scoring with the same retriever does not encode them again.
 */
export const alikeOf =
  ({ workspace, signal, progress }: Pick<WorkbenchContext, "workspace" | "signal" | "progress">, retriever: string) =>
  async (rows: readonly LabelledRequest[], catalog: Catalog): Promise<AlikeTexts> => {
    const examples = examplesOf(catalog);
    const texts = [...new Set([...rows, ...examples].map(({ text }) => text))];
    const vectors = await vectorsOfTexts((await readDirectory(retriever)).files, texts, {
      workers,
      queueLimit: 4096,
      cache: embeddingCacheFolder(workspace.vectors),
      onProgress: stepOf(progress, "encoding"),
      signal,
    });
    progress.done();
    return vectors === null ? [] : alikeTexts({ rows, examples }, vectors);
  };
