import { type OptionsOf, resolveOptions, type ValuesOf } from "../src/base/options.js";
import { auditOptions } from "./options/dataset.js";
import { openChecks } from "../datasets/audit/audit-document.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { Split } from "../src/documents/split.js";
import { command, say, SluiceError } from "../src/base/error.js";
import { type StoredAudit, saveAudit } from "../store/records/save-audit.js";
import type { History } from "../store/history/open.js";
import { latestSplitOf, readDataset, readSplit, type Reference } from "../store/records/read-records.js";
import { shortId } from "../src/base/text.js";
import { catalogIfAny, withHistory } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

export type AuditDatasetOptions = OptionsOf<typeof auditOptions>;

export interface DatasetAudit extends StoredAudit {
  /** Whether every check passed or was accepted, so that a manifest for this data can be signed. */
  readonly usable: boolean;
  /** null: leakage between folds was not checked. */
  readonly splitId: string | null;
  /** null: labels and catalog examples were not checked. */
  readonly catalogId: string | null;
  readonly requests: readonly LabelledRequest[];
}

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
  const given = resolveOptions("auditDataset", auditOptions, options);
  requireNamedActor(workbench, given.accept);
  return withHistory(workbench, "write", async (session) => {
    const { history } = session;
    const { dataset, split } = subjectOf(history, given);
    const catalog = await catalogIfAny(history, given.catalog ?? catalogOfSplit(split?.document));
    const kept = saveAudit(session, {
      dataset,
      catalog,
      split,
      maxNearDuplicates: given.maxNearDuplicates,
      acceptReason: given.accept,
      acceptChecks: given.acceptChecks?.length === 0 ? undefined : given.acceptChecks,
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
function subjectOf(history: History, options: ValuesOf<typeof auditOptions>) {
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
    hint: say`Run: ${command`sluice dataset split --dataset ${expected}`}`,
  });
}
