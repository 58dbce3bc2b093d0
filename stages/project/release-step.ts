import type { Sha256 } from "../../src/base/sha256.js";
import type { Signer } from "../../release/signing/sign-statement.js";
import { parseTrustPolicy } from "../../src/trust/trust-policy.js";
import { auditCheckWords, type AuditRecord, openChecks } from "../../datasets/audit/audit-document.js";
import { SluiceError } from "../../src/base/error.js";
import { saveAudit } from "../../store/records/save-audit.js";
import type { History } from "../../store/history/open.js";
import { findEntry } from "../../store/history/read.js";
import { readAudit, readCatalog, readDataset, readSplit } from "../../store/records/read-records.js";
import { shortId } from "../../src/base/text.js";
import type { Session } from "../../store/records/session.js";
import { createManifest } from "../../release/create-manifest.js";
import { projectJudge } from "./project-release.js";
import { releaseNumbers } from "../../release/release-numbers.js";
import type { ProjectPeople } from "../../store/project/people.js";
import type { FinishedStep, ProjectStep } from "./run-steps.js";
import { releaseStepName } from "../../src/documents/choices.js";
import { idOf, type StepOutputs } from "./step-state.js";

/** Options for releasing the calibration of a project. */
export interface ReleaseChoices {
  readonly people: ProjectPeople;
  /** Opens the key of the producer; called only if something is signed. */
  readonly openSigner: () => Promise<Signer>;
  /** Reason for accepting audit findings; undefined: there must be no findings. */
  readonly accept: string | undefined;
}

/** Options for a plan, which signs nothing. */
export function plannedRelease(people: ProjectPeople): ReleaseChoices {
  const openSigner = () => Promise.reject(new SluiceError("INTERNAL", "a plan signs nothing"));
  return { people, openSigner, accept: undefined };
}

/** The release step: the manifest of the calibration, signed by the producer. */
export function releaseStep(session: Session, choices: ReleaseChoices): ProjectStep {
  const { producer } = choices.people;
  return {
    name: releaseStepName,
    inputs: (made) => ({ from: made["calibrate"], producer }),
    present: ({ manifest }) =>
      manifest !== undefined && findEntry(session.history, "manifest", manifest as Sha256) !== undefined,
    run: async (made) => signManifest(session, choices, made),
  };
}

async function signManifest(session: Session, choices: ReleaseChoices, made: StepOutputs): Promise<FinishedStep> {
  answerAudit(session, made, choices.accept);
  const { producer } = choices.people;
  const calibrationId = idOf(made, "calibrate", "calibration");
  const signer = await choices.openSigner();
  const judge = await projectJudge(session.context, choices.people);
  const { bundleId, manifestId } = await createManifest(session, {
    ...releaseNumbers(session.history),
    calibrationId,
    bundleVersion: `bundle-${shortId(calibrationId)}`,
    producer,
    signer,
    trust: parseTrustPolicy(judge.trustPolicyBytes),
    createdAtMs: session.context.clock(),
  });
  return {
    outputs: { bundle: bundleId, manifest: manifestId },
    summary: `bundle ${shortId(bundleId)}, signed by its producer ${producer}`,
  };
}

/** Describes the audit findings that have not been accepted; "" if there are none. */
export function auditWords(record: Pick<AuditRecord, "findings" | "override">): string {
  const open = openChecks(record);
  const found = record.findings.filter(({ check }) => open.includes(check));
  return found.map(({ check, count }) => `${auditCheckWords[check]} (${check}): ${count}`).join(", ");
}

/** Advice for resolving the open findings: correcting or adding rows. */
export function remedyOf(record: Pick<AuditRecord, "findings">, open: readonly string[]): string {
  const share = record.findings.find(({ check }) => check === "out_of_scope_share");
  const isMissing = share !== undefined && open.includes(share.check) && share.count === 0;
  const others = open.filter((check) => check !== "out_of_scope_share" || !isMissing);
  return [
    ...(isMissing ? ["Add requests that no workflow handles, labelled none, to the data"] : []),
    ...(others.length === 0 ? [] : ["Correct the rows that sluice dataset audit lists"]),
  ].join(". ");
}

/** The audited rows of a project: the rows of its split, which may include more than the imported ones. */
export function auditedRows(history: History, made: StepOutputs) {
  const split = readSplit(history, idOf(made, "split", "split"));
  const catalog = readCatalog(history, idOf(made, "import", "catalog"));
  return { dataset: readDataset(history, split.document.dataset_sha256), catalog, split };
}

/** @throws {SluiceError} GATE_NOT_MET  audit findings have not been accepted */
function answerAudit(session: Session, made: StepOutputs, reason: string | undefined): void {
  const { history } = session;
  const record = readAudit(history, idOf(made, "audit", "audit")).document;
  const open = openChecks(record);
  if (open.length === 0) return;
  if (reason === undefined) {
    throw new SluiceError("GATE_NOT_MET", `the audit of the requests has findings: ${auditWords(record)}`, {
      hint: `${remedyOf(record, open)}, or accept them: sluice run --release --accept REASON`,
    });
  }
  saveAudit(session, { ...auditedRows(history, made), acceptReason: reason, acceptChecks: open });
}
