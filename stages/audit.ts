import { openChecks } from "../datasets/audit/audit-document.js";
import type { AuditCheck } from "../src/documents/choices.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { Split } from "../src/documents/split.js";
import { SluiceError } from "../src/base/error.js";
import { type StoredAudit, saveAudit } from "../store/records/save-audit.js";
import type { History } from "../store/history/open.js";
import { latestSplitOf, readDataset, readSplit } from "../store/records/read-records.js";
import type { Reference } from "../store/records/reference.js";
import { shortId } from "../src/base/text.js";
import { catalogIfAny, withHistory } from "../store/records/with-history.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

/** What is audited, and which findings are accepted. */
export interface AuditDatasetOptions {
  /** Id of the dataset or its beginning. Default: that of the split, otherwise the latest. */
  readonly dataset?: string | undefined;
  /** Default: the latest split of the dataset, when it has one. */
  readonly split?: string | undefined;
  /** Default: that of the split, otherwise the latest if there is one. */
  readonly catalog?: Reference | undefined;
  /** Largest share of near-duplicates that passes, in [0, 1]. Default 0.02. */
  readonly maxNearDuplicates?: number | undefined;
  /** Why failed checks are accepted; recorded under the actor of the workbench. By default nothing is accepted. */
  readonly accept?: string | undefined;
  /** Checks that the reason covers. Default: every check that failed. */
  readonly acceptChecks?: readonly AuditCheck[];
}

/** What `auditDataset` found and saved. */
export interface DatasetAudit extends StoredAudit {
  /** Every check passed or was accepted: a manifest can be signed for this data. */
  readonly usable: boolean;
  /** null: leakage between folds was not checked. */
  readonly splitId: string | null;
  /** null: labels and catalog examples were not checked. */
  readonly catalogId: string | null;
  /** The rows that were audited, for a reader of the findings. */
  readonly requests: readonly LabelledRequest[];
}

/**
 * Looks for leakage, duplicates, contradictions and personal data, and saves the verdict. A failed check is a finding,
 * not an error; texts of requests are never saved with it.
 *
 * @example const { usable, audit } = await auditDataset(workbench, { accept: "short texts repeat, ticket 4711" });
 * @throws {SluiceError} RECORD_NOT_FOUND, SPLIT_MISMATCH; USAGE  findings are accepted without a named person
 */
export async function auditDataset(
  workbench: WorkbenchContext,
  options: AuditDatasetOptions = {},
): Promise<DatasetAudit> {
  requireNamedActor(workbench, options.accept);
  return withHistory(workbench, "write", async (session) => {
    const { history } = session;
    const { dataset, split } = subjectOf(history, options);
    const catalog = await catalogIfAny(history, options.catalog ?? catalogOfSplit(split?.document));
    const kept = saveAudit(session, {
      dataset,
      ...(catalog === undefined ? {} : { catalog }),
      ...(split === undefined ? {} : { split }),
      ...choicesOf(options),
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

/** What is audited; without a split if none was named and the dataset has none. */
function subjectOf(history: History, options: AuditDatasetOptions) {
  const named = options.split === undefined ? undefined : readSplit(history, options.split);
  const dataset = readDataset(history, options.dataset ?? named?.document.dataset_sha256);
  const split = named ?? latestSplitOf(history, dataset.sha256);
  if (split !== undefined) requireSplitOf(dataset.sha256, split.document);
  return { dataset, split };
}

const choicesOf = ({ maxNearDuplicates, accept, acceptChecks = [] }: AuditDatasetOptions) => ({
  ...(maxNearDuplicates === undefined ? {} : { maxNearDuplicates }),
  ...(accept === undefined ? {} : { acceptReason: accept }),
  ...(acceptChecks.length === 0 ? {} : { acceptChecks }),
});

/** An override needs a named person. */
function requireNamedActor({ actor }: WorkbenchContext, reason: string | undefined): void {
  if (reason === undefined || !["", "unknown"].includes(actor)) return;
  throw new SluiceError("USAGE", "--accept requires the name of the person who accepts", { hint: "Add --actor NAME." });
}

const catalogOfSplit = (split: Split | undefined): Reference | undefined =>
  split === undefined ? undefined : { kind: "id", id: split.catalog_sha256 };

function requireSplitOf(dataset: string, split: Split): void {
  if (split.dataset_sha256 === dataset) return;
  const [found, expected] = [shortId(split.dataset_sha256), shortId(dataset)];
  throw new SluiceError("SPLIT_MISMATCH", `the split belongs to dataset ${found}, expected ${expected}`, {
    hint: `Run: sluice dataset split --dataset ${expected}`,
  });
}
