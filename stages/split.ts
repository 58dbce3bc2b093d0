import type { FoldFractions } from "../datasets/assign-folds.js";
import { everyTextShares } from "../datasets/every-text.js";
import type { Removal } from "../datasets/remove-workflows.js";
import type { CrossValidation } from "../datasets/rotate-folds.js";
import { leftOutSplit } from "../datasets/split-by-request.js";
import { defaultFractions } from "../datasets/split-by-workflow.js";
import { type StoredSplit, saveSplit } from "./import/save-dataset.js";
import { readCatalogOf, readDataset, readSplit } from "../store/records/read-records.js";
import { shippedFolder } from "../store/shipped-models.js";
import { alikeOf } from "./split/alike-of.js";
import type { Reference } from "../store/records/reference.js";
import { catalogOf, withHistory } from "../store/records/with-history.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

/** How a dataset is split. */
export interface SplitDatasetOptions {
  /** Id of the dataset or its beginning. Default: the latest. */
  readonly dataset?: string | undefined;
  /** Catalog of the labels. Default: the latest that has all of them. */
  readonly catalog?: Reference | undefined;
  /** Seed of the draw, 32-bit integer, at least 0. Default 1. */
  readonly seed?: number;
  /**
   * Share of each fold; positive, sum 1. Default: fit 0.35, tune 0.15, certify 0.3, eval 0.2; by "left-out" all certify,
   * and from 500 requests a fifth is EVAL.
   */
  readonly shares?: FoldFractions;
  /**
   * What no two folds share: workflow, domain, service, group, a slice, request; or role; or left-out, where every text
   * is an example and a test request. Default "workflow".
   */
  readonly by?: string;
  /** Split whose FIT fold stays FIT, because models were fitted on it. Default: every fold is drawn. */
  readonly keepFit?: string | undefined;
  /** Workflows that leave the catalog; their requests become near out-of-scope. Default: none. */
  readonly removal?: Removal | undefined;
  /**
   * The texts were generated, or paraphrased from one another: where folds share workflows, those that mean the same to
   * the shipped encoder are one family. Default false.
   */
  readonly generatedTexts?: boolean;
  /** Several assignments instead of one, for small data. */
  readonly crossValidation?: CrossValidation | undefined;
}

/**
 * Splits a dataset into the folds FIT, TUNE, CERTIFY and EVAL and saves the split. The same dataset, catalog, seed and
 * options give the same split.
 *
 * @example const { splitId } = await splitDataset(workbench, { by: "request", seed: 1 });
 * @throws {SluiceError} RECORD_NOT_FOUND, USAGE (shares, `by`), DATASET_INVALID (a label that the catalog lacks),
 *   SPLIT_TOO_SMALL
 */
export async function splitDataset(
  workbench: WorkbenchContext,
  options: SplitDatasetOptions = {},
): Promise<StoredSplit> {
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
      ...(keepFit === undefined ? {} : { keptFit: readSplit(session.history, keepFit).document.folds.fit.clusters }),
      ...(removal === undefined ? {} : { removal }),
      ...(crossValidation === undefined ? {} : { crossValidation }),
    });
  });
}
