import { optionsOf, requireOptions } from "./checked-options.js";
import { openChecks } from "../datasets/audit/audit-document.js";
import type { AuditCheck } from "../src/documents/choices.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { Split } from "../src/documents/split.js";
import { SluiceError } from "../src/base/error.js";
import { type StoredAudit, saveAudit } from "../store/records/save-audit.js";
import type { History } from "../store/history/open.js";
import { latestSplitOf, readDataset, readSplit, type Reference } from "../store/records/read-records.js";
import { shortId } from "../src/base/text.js";
import { catalogIfAny, withHistory } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

/** Data to audit, and accepted findings. */
export interface AuditDatasetOptions {
  /** Dataset id or its beginning. Default: the dataset of the split, otherwise the latest. */
  readonly dataset?: string | undefined;
  /** Split id or its beginning. Default: the latest split of the dataset, if any. */
  readonly split?: string | undefined;
  /** Default: the catalog of the split, otherwise the latest, if any. */
  readonly catalog?: Reference | undefined;
  /** Maximum share of near-duplicates, in [0, 1]. Default 0.02. */
  readonly maxNearDuplicates?: number | undefined;
  /** Reason for accepting failed checks, recorded under the actor of the workbench. Default: nothing is accepted. */
  readonly accept?: string | undefined;
  /** Accepted checks. Default: every check that failed. */
  readonly acceptChecks?: readonly AuditCheck[];
}

export interface DatasetAudit extends StoredAudit {
  /** Whether every check passed or was accepted, so that a manifest for this data can be signed. */
  readonly usable: boolean;
  /** null: leakage between folds was not checked. */
  readonly splitId: string | null;
  /** null: labels and catalog examples were not checked. */
  readonly catalogId: string | null;
  readonly requests: readonly LabelledRequest[];
}

const auditDatasetOptions = optionsOf<AuditDatasetOptions>()({
  string: ["dataset", "split", "accept"],
  object: ["catalog"],
  number: ["maxNearDuplicates"],
  list: ["acceptChecks"],
});

/**
 * Checks a dataset for leakage, duplicates, conflicting labels and personal data, and saves the result, without request
 * texts. A failed check is a finding, not an error.
 *
 * @example const { usable, audit } = await auditDataset(workbench, { accept: "short texts repeat, ticket 4711" });
 * @throws {SluiceError} RECORD_NOT_FOUND, SPLIT_INVALID; USAGE  findings are accepted without a named person
 */
export async function auditDataset(
  workbench: WorkbenchContext,
  options: AuditDatasetOptions = {},
): Promise<DatasetAudit> {
  requireOptions("auditDataset", options, auditDatasetOptions);
  requireNamedActor(workbench, options.accept);
  return withHistory(workbench, "write", async (session) => {
    const { history } = session;
    const { dataset, split } = subjectOf(history, options);
    const catalog = await catalogIfAny(history, options.catalog ?? catalogOfSplit(split?.document));
    const kept = saveAudit(session, {
      dataset,
      catalog,
      split,
      maxNearDuplicates: options.maxNearDuplicates,
      acceptReason: options.accept,
      acceptChecks: options.acceptChecks?.length === 0 ? undefined : options.acceptChecks,
    });
    return {
      ...kept,
      usable: openChecks(kept.record).length === 0,
      splitId: split?.sha256 ?? null,
      catalogId: catalog?.sha256 ?? null,
      requests: dataset.document,
    };
  });
}

/** The data to audit. It has no split if none was specified and the dataset has none. */
function subjectOf(history: History, options: AuditDatasetOptions) {
  const named = options.split === undefined ? undefined : readSplit(history, options.split);
  const dataset = readDataset(history, options.dataset ?? named?.document.dataset_sha256);
  const split = named ?? latestSplitOf(history, dataset.sha256);
  if (split !== undefined) requireSplitOf(dataset.sha256, split.document);
  return { dataset, split };
}

function requireNamedActor({ actor }: WorkbenchContext, reason: string | undefined): void {
  if (reason === undefined || !["", "unknown"].includes(actor)) return;
  throw new SluiceError("USAGE", "--accept requires the name of the person who accepts", { hint: "Add --actor NAME." });
}

const catalogOfSplit = (split: Split | undefined): Reference | undefined =>
  split === undefined ? undefined : { kind: "id", id: split.catalog_sha256 };

function requireSplitOf(dataset: string, split: Split): void {
  if (split.dataset_sha256 === dataset) return;
  const [found, expected] = [shortId(split.dataset_sha256), shortId(dataset)];
  throw new SluiceError("SPLIT_INVALID", `the split belongs to dataset ${found}, expected ${expected}`, {
    hint: `Run: sluice dataset split --dataset ${expected}`,
  });
}
