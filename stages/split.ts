import { defaultWorkers } from "./choices.js";
import { type OptionsOf, resolveOptions, type ValuesOf } from "../src/base/options.js";
import { splitOptions } from "./options/dataset.js";
import { everyTextShares } from "../datasets/every-text.js";
import type { Removal } from "../datasets/remove-workflows.js";
import { leftOutSplit } from "../datasets/split-by-request.js";
import { defaultFractions } from "../datasets/split-by-workflow.js";
import { type StoredSplit, saveSplit } from "./import/save-dataset.js";
import { readCatalogOf, readDataset, readSplit } from "../store/records/read-records.js";
import { shippedFolder } from "../store/shipped-models.js";
import { catalogOf, withHistory } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { type AlikeTexts, alikeTexts, examplesOf } from "../datasets/families.js";
import type { Catalog } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { vectorsOfTexts } from "../src/router/load-models.js";
import { readDirectory } from "../src/trust/directory-hash.js";
import { embeddingCacheFolder } from "../store/embedding-cache-file.js";
import { stepOf } from "../store/step-progress.js";
import { readFile } from "node:fs/promises";
import { idFileBytes, readIdFile } from "../datasets/draft/id-file.js";
import { writeNewFile } from "../src/base/files.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import { SluiceError } from "../src/base/error.js";

export type SplitDatasetOptions = OptionsOf<typeof splitOptions>;

/**
 * Splits a dataset into the folds FIT, TUNE, CERTIFY and EVAL, and saves the split. Equal datasets, catalogs, seeds and
 * options give the same split.
 *
 * @example const { split } = await splitDataset(workbench, { by: "request", seed: 1 });
 * @throws {SluiceError} RECORD_NOT_FOUND, USAGE (shares, `by`), DOCUMENT_INVALID (a label is not in the catalog),
 *   SPLIT_TOO_SMALL
 */
export async function splitDataset(
  workbench: WorkbenchContext,
  options: SplitDatasetOptions = {},
): Promise<StoredSplit> {
  const given = resolveOptions("splitDataset", splitOptions, options);
  const removal = removalOf(given);
  return withHistory(workbench, "write", async (session) => {
    const { sha256, document: rows } = readDataset(session.history, given.dataset);
    const catalog =
      given.catalog === undefined
        ? readCatalogOf(session.history, rows)
        : await catalogOf(session.history, given.catalog);
    const { seed, by, keepFit, folds: parts, repeats } = given;
    const usualShares = by === leftOutSplit ? everyTextShares(rows.length) : defaultFractions;
    return saveSplit(session, {
      alikeOf: given.generatedTexts ? alikeOf(session.context, shippedFolder("default", "retriever")) : undefined,
      dataset: { sha256, rows },
      catalog,
      seed,
      fractions: given.shares ?? usualShares,
      by,
      keptFit: keepFit === undefined ? undefined : readSplit(session.history, keepFit).document.folds.fit.clusters,
      removal,
      crossValidation: parts === undefined ? undefined : { parts, repeats },
    });
  });
}

function removalOf({ removeHeldOut: share, remove: names }: ValuesOf<typeof splitOptions>): Removal | undefined {
  if (share !== undefined && names !== undefined) {
    throw new SluiceError("USAGE", "--remove-held-out and --remove were both given, expected one", {
      hint: "Use --remove to name workflows, or --remove-held-out to draw a share.",
    });
  }
  if (share !== undefined) return { kind: "share", share };
  return names === undefined ? undefined : { kind: "names", names };
}

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
      workers: defaultWorkers,
      queueLimit: 4096,
      cache: embeddingCacheFolder(workspace.vectors),
      onProgress: stepOf(progress, "encoding"),
      signal,
    });
    progress.done();
    return vectors === null ? [] : alikeTexts({ rows, examples }, vectors);
  };

interface IdFile {
  /** Ids by label; empty if the file does not exist. */
  readonly ids: ReadonlyMap<string, WorkflowId>;
  /** Writes the file if it does not exist; an existing file, which may have been edited, is not changed. */
  readonly save: (ids: ReadonlyMap<string, WorkflowId>) => Promise<void>;
}

/** @throws {SluiceError} READ_FAILED, DOCUMENT_INVALID */
export async function openIdFile(path: string): Promise<IdFile> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return null;
    throw new SluiceError("READ_FAILED", `${path}: cannot be read (${cause.code ?? "no code"})`, { cause });
  });
  if (bytes !== null) return { ids: readIdFile({ file: path, bytes }), save: async () => undefined };
  return { ids: new Map(), save: async (ids) => writeNewFile(path, idFileBytes(ids), 0o644) };
}
