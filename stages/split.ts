import { defaultWorkers } from "./choices.js";
import { optionsOf, requireOptions } from "./checked-options.js";
import type { FoldFractions } from "../datasets/assign-folds.js";
import { everyTextShares } from "../datasets/every-text.js";
import type { Removal } from "../datasets/remove-workflows.js";
import type { CrossValidation } from "../datasets/rotate-folds.js";
import { leftOutSplit } from "../datasets/split-by-request.js";
import { defaultFractions } from "../datasets/split-by-workflow.js";
import { type StoredSplit, saveSplit } from "./import/save-dataset.js";
import { readCatalogOf, readDataset, readSplit, type Reference } from "../store/records/read-records.js";
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

export interface SplitDatasetOptions {
  /** Dataset id or its beginning. Default: the latest. */
  readonly dataset?: string | undefined;
  /** Catalog of the labels. Default: the latest that contains all of them. */
  readonly catalog?: Reference | undefined;
  /** Seed of the draw, 32-bit integer >= 0. Default 1. */
  readonly seed?: number;
  /**
   * Share of each fold; positive numbers that sum to 1. Default: fit 0.35, tune 0.15, certify 0.3, eval 0.2. Default by
   * "left-out": all requests certify, except a fifth in EVAL if there are at least 500.
   */
  readonly shares?: FoldFractions;
  /**
   * Key that no two folds share: workflow, domain, service, group, a slice, or request; or "role" for published folds;
   * or "left-out", in which every text is both an example and a test request. Default "workflow".
   */
  readonly by?: string;
  /** Split whose FIT fold is preserved, because models were fitted on it. Default: every fold is drawn. */
  readonly keepFit?: string | undefined;
  /** Workflows to remove from the catalog; their requests become near out-of-scope. Default: none. */
  readonly removal?: Removal | undefined;
  /**
   * Whether the texts were generated or are paraphrases of one another. If folds share workflows, texts with the same
   * meaning according to the shipped encoder then form one family. Default false.
   */
  readonly generatedTexts?: boolean;
  /** Makes several assignments instead of one, for small datasets. */
  readonly crossValidation?: CrossValidation | undefined;
}

const splitDatasetOptions = optionsOf<SplitDatasetOptions>()({
  string: ["dataset", "by", "keepFit"],
  object: ["catalog", "shares", "removal", "crossValidation"],
  number: ["seed"],
  boolean: ["generatedTexts"],
});

/**
 * Splits a dataset into the folds FIT, TUNE, CERTIFY and EVAL, and saves the split. Equal datasets, catalogs, seeds and
 * options give the same split.
 *
 * @example const { splitId } = await splitDataset(workbench, { by: "request", seed: 1 });
 * @throws {SluiceError} RECORD_NOT_FOUND, USAGE (shares, `by`), DOCUMENT_INVALID (a label is not in the catalog),
 *   SPLIT_TOO_SMALL
 */
export async function splitDataset(
  workbench: WorkbenchContext,
  options: SplitDatasetOptions = {},
): Promise<StoredSplit> {
  requireOptions("splitDataset", options, splitDatasetOptions);
  return withHistory(workbench, "write", async (session) => {
    const { sha256, document: rows } = readDataset(session.history, options.dataset);
    const catalog =
      options.catalog === undefined
        ? readCatalogOf(session.history, rows)
        : await catalogOf(session.history, options.catalog);
    const { seed = 1, by = "workflow", keepFit, removal, crossValidation } = options;
    const usualShares = by === leftOutSplit ? everyTextShares(rows.length) : defaultFractions;
    const { shares: fractions = usualShares } = options;
    return saveSplit(session, {
      alikeOf:
        options.generatedTexts === true ? alikeOf(session.context, shippedFolder("default", "retriever")) : undefined,
      dataset: { sha256, rows },
      catalog,
      seed,
      fractions,
      by,
      keptFit: keepFit === undefined ? undefined : readSplit(session.history, keepFit).document.folds.fit.clusters,
      removal,
      crossValidation,
    });
  });
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
