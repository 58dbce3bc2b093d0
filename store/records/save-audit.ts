import type { Run } from "../../src/documents/scored-record.js";
import { counted } from "../../src/documents/number-text.js";
import { type Audit, auditRequests } from "../../datasets/audit/audit-dataset.js";
import type { Sha256 } from "../../src/base/sha256.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { acceptanceText, type AuditRecord, findingsText, openChecks } from "../../datasets/audit/audit-document.js";
import type { AuditCheck } from "../../src/documents/choices.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { Split } from "../../src/documents/split.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { History } from "../history/open.js";
import { listEntries } from "../history/read.js";
import { shortId } from "../../src/base/text.js";
import { type Stored, readAudit } from "./read-records.js";
import { saveRecord, type Session } from "./session.js";

export interface SaveAuditOptions {
  readonly dataset: Pick<Stored<readonly LabelledRequest[]>, "sha256" | "document">;
  readonly catalog?: Pick<Stored<Catalog>, "sha256" | "document"> | undefined;
  readonly split?: Pick<Stored<Split>, "sha256" | "document"> | undefined;
  readonly maxNearDuplicates?: number | undefined;
  /** Why the dataset is used despite failed checks; recorded with the actor of the stage. */
  readonly acceptReason?: string | undefined;
  /** Checks that the reason covers. Default: every failed check. */
  readonly acceptChecks?: readonly AuditCheck[] | undefined;
}

export interface StoredAudit {
  readonly auditId: Sha256;
  readonly record: AuditRecord;
  readonly audit: Audit;
}

/** Audits a dataset and saves verdict, counts and override. The record does not contain the rows. */
export function saveAudit(session: Session, options: SaveAuditOptions): StoredAudit {
  const { dataset, catalog, split, maxNearDuplicates } = options;
  const audit = auditRequests({
    rows: dataset.document,
    catalog: catalog?.document,
    split: split?.document,
    maxNearDuplicates,
  });
  const record: AuditRecord = {
    schema_version: 1,
    dataset_sha256: dataset.sha256,
    catalog_sha256: catalog?.sha256 ?? null,
    split_sha256: split?.sha256 ?? null,
    rows: audit.rows,
    passed: audit.passed,
    findings: audit.findings.map(({ check, count, share, limit, passed }) => ({ check, count, share, limit, passed })),
    override: overrideOf(session, audit, options),
  };
  const { sha256 } = saveRecord(session, "audit", canonicalBytes(record));
  return { auditId: sha256, record, audit };
}

/** null if nothing is accepted, or if no failed check can be accepted. */
function overrideOf(
  { actor }: Session,
  audit: Audit,
  { acceptReason: reason, acceptChecks }: SaveAuditOptions,
): AuditRecord["override"] {
  if (reason === undefined) return null;
  const failed = audit.findings.filter(({ passed }) => !passed).map(({ check }) => check);
  const checks = acceptChecks === undefined ? failed : failed.filter((check) => acceptChecks.includes(check));
  return checks.length === 0 ? null : { checks, reason, actor };
}

type Audited = Pick<AuditRecord, "dataset_sha256" | "split_sha256" | "catalog_sha256">;

/** All audits of a dataset under a split, oldest first. */
function auditsOf(history: History, of: Audited): readonly Stored<AuditRecord>[] {
  return listEntries(history, { kind: "audit" })
    .map(({ sha256 }) => readAudit(history, sha256))
    .filter(
      ({ document }) =>
        document.dataset_sha256 === of.dataset_sha256 &&
        document.split_sha256 === of.split_sha256 &&
        document.catalog_sha256 === of.catalog_sha256,
    );
}

/** The latest audit of the same data in which somebody accepted every finding of this one; otherwise this one. */
export function settledAudit(history: History, record: AuditRecord): AuditRecord {
  const open = openChecks(record);
  if (open.length === 0) return record;
  const accepting = auditsOf(history, record).findLast(({ document }) =>
    open.every((check) => document.override?.checks.includes(check)),
  );
  return accepting?.document ?? record;
}

/**
 * The latest audit of a dataset under a split. It must have passed, or somebody must have accepted its failed checks.
 * @throws {SluiceError} GATE_NOT_MET
 */
export function requireAudit(
  history: History,
  of: Pick<Run, "dataset_sha256" | "split_sha256" | "catalog_sha256">,
): Stored<AuditRecord> {
  const audits = auditsOf(history, of);
  const usable = audits.findLast(({ document }) => openChecks(document).length === 0);
  if (usable !== undefined) return usable;
  const [dataset, split] = [shortId(of.dataset_sha256), shortId(of.split_sha256)];
  const latest = audits.at(-1);
  const found = latest === undefined ? "has no audit" : `failed its audit: ${openChecks(latest.document).join(", ")}`;
  throw new SluiceError("GATE_NOT_MET", `dataset ${dataset} with split ${split} ${found}`, {
    hint: say`Run: ${command`sluice dataset audit --split ${split}`}. To accept known findings: ${command`sluice dataset audit --split ${split} --accept REASON --actor NAME`}`,
  });
}

/** Summarises an audit in one or two lines: its findings in words, and who accepted them and why. */
export function auditSummary(record: AuditRecord): readonly string[] {
  const found = findingsText(record.findings);
  if (found === "")
    return [`No: ${counted(record.findings.length, "check")} of ${counted(record.rows, "request")} passed`];
  const accepted = acceptanceText(record);
  return [`Yes: ${found}`, ...(accepted === "" ? [] : [accepted.replace(/^a/u, "A")])];
}
