import { withHistory, type Session } from "../store/records/session.js";
import { asTestedIn } from "./fit/stored-input.js";
import { mkdir, readFile, rm } from "node:fs/promises";
import { datasetOf } from "../datasets/dataset-bytes.js";
import { readJsonl } from "../datasets/read-jsonl.js";
import { counted, formatCount } from "../src/documents/number-text.js";
import { parseTrustPolicy } from "../src/trust/trust-policy.js";
import { loadCatalog, requireProductionCatalog } from "../src/router/catalog/load.js";
import { sha256Hex } from "../src/base/sha256.js";
import { openChecks } from "../datasets/audit/audit-document.js";
import type { Calibration } from "../src/documents/calibration.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { SluiceError } from "../src/base/error.js";
import { type DemonstrationContext, quickstartSettings as settings } from "./demonstration/settings.js";
import { shortId, utcSeconds } from "../src/base/text.js";
import { signApproval } from "../release/approve-bundle.js";
import { storedPage } from "../release/page/stored-page.js";
import { releaseStatus } from "../release/release-status.js";
import { createManifest } from "../release/create-manifest.js";
import { releaseNumbers } from "../release/release-numbers.js";
import { exportApproved } from "./export/export-approved.js";
import { fitThresholds } from "./fit/fit-thresholds.js";
import { saveAudit } from "../store/records/save-audit.js";
import { saveDataset, saveSplit, type SaveSplitOptions } from "./import/save-dataset.js";
import { saveReport } from "./report/page-file.js";
import { readManifest } from "../release/read-signed.js";
import { scoreRun } from "./score/score-run.js";
import { certifyThisCatalog, type Claimed, scoreByRequest } from "./demonstration/claims.js";
import { join } from "node:path";
import { createKeyFile, openPrivateKey } from "../release/signing/key-file.js";
import type { Signer } from "../release/signing/sign-statement.js";
import { pathExists, writeNewFile } from "../src/base/files.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { buildTrustPolicy } from "../release/build-policy.js";
import type { Workspace } from "../store/workspace.js";

export interface FinishedJob {
  readonly bundleId: string;
  readonly evaluation: Evaluation;
  readonly calibration: Calibration;
  /** The claim about this catalog with the same models; not served. */
  readonly thisCatalog: Claimed;
}

/**
 * Runs the complete workflow on the shipped data, from the catalog to an approved, exported and verified bundle.
 * @throws {SluiceError} DATASET_LEAKAGE, INTERRUPTED, WRITE_FAILED
 */
export async function runDemonstration(context: DemonstrationContext): Promise<FinishedJob> {
  return withHistory(context, "write", (session) => runJob(session, context));
}

async function runJob(session: Session, context: DemonstrationContext): Promise<FinishedJob> {
  const { workspace, onStage } = context;
  const data = await readData(session);
  onStage("read", readInWords(data));
  const thisCatalog = await certifyThisCatalog(session, await scoreByRequest(session, data));
  const splitId = await splitAndAudit(session, data);
  const { retriever, verifier, workers } = settings;
  const run = await scoreRun(session, {
    splitId,
    retriever: { kind: "file", path: retriever },
    verifier: { kind: "file", path: verifier },
    workers,
    maxErrorShare: 0,
  });
  onStage(
    "score",
    `${counted(run.document.requests, "request")} scored against every workflow by the models that ship with Sluice`,
  );
  const { target_risk, looser_targets, delta } = settings;
  const version = `demonstration-${shortId(run.run)}`;
  const fit = { run: run.run, target_risk, looser_targets, delta, version };
  const { calibration, evaluation } = await fitThresholds(session, fit);
  onStage("promise", "thresholds certified that keep wrong routes rare; see the claim below");

  const bundleId = await signAndExport(session, context, calibration.sha256);
  const [first, second] = settings.people.approvers;
  onStage(
    "sign",
    `signed by the producer ${settings.people.producer}, approved by ${first} and ${second}, with demonstration keys`,
  );
  const calibrationId = calibration.sha256;
  await saveReport(session, { calibrationId, file: workspace.report });
  onStage("report", `${context.here(workspace.report)}: the evaluation report`);
  return {
    bundleId,
    evaluation: evaluation.document,
    calibration: calibration.document,
    thisCatalog,
  };
}

async function readData(session: Session): Promise<SaveSplitOptions> {
  const { catalog, bytes } = await loadCatalog(settings.catalogFile);
  requireProductionCatalog(catalog);
  const requests = await readFile(settings.requestsFile);
  const rows = readJsonl(requests, "requests.jsonl");
  saveDataset(session, rows, { file: "requests.jsonl", sha256: sha256Hex(requests) });
  const { seed, fractions } = settings;
  return {
    dataset: datasetOf(rows),
    catalog: { sha256: catalog.sha256, bytes, document: catalog },
    seed,
    fractions,
  };
}

function readInWords({ catalog, dataset: { rows } }: SaveSplitOptions): string {
  const outOfScope = rows.filter((row) => row.workflow_id === null).length;
  const workflows = `${counted(catalog.document.workflows.length, "workflow")} of a service desk`;
  return `${workflows} and ${counted(rows.length, "labelled request")}, ${formatCount(outOfScope)} out of scope`;
}

async function splitAndAudit(session: Session, options: SaveSplitOptions): Promise<string> {
  const { catalog, dataset } = options;
  const { rows } = dataset;
  const { split: splitId, document: split } = await saveSplit(session, options);
  const { record } = saveAudit(session, {
    dataset: { sha256: dataset.sha256, document: rows },
    catalog,
    split: { sha256: splitId, document: split },
    acceptReason: settings.accepted.reason,
    acceptChecks: settings.accepted.checks,
  });
  const open = openChecks(record);
  if (open.length > 0) throw new SluiceError("DATASET_LEAKAGE", `the audit failed: ${open.join(", ")}`);
  return splitId;
}

async function signAndExport(session: Session, context: DemonstrationContext, calibrationId: string): Promise<string> {
  const { workspace, clock } = context;
  const { producer, approvers, trustPolicyBytes } = await demonstrationKeys(workspace, clock());
  const { bundleVersion, environment, approvalDays, people } = settings;
  const { bundle_id: bundleId } = await createManifest(session, {
    asTested: (tested) => asTestedIn(session.history, tested),
    ...releaseNumbers(session.history),
    calibrationId,
    bundleVersion,
    producer: people.producer,
    signer: producer,
    createdAtMs: clock(),
    trust: parseTrustPolicy(trustPolicyBytes),
  });
  const manifest = readManifest(session.history, bundleId);
  const { page, sha256 } = storedPage(session.history, manifest);
  const judge = { trustPolicyBytes, revocationBytes: null, environment };
  for (const { name, signer } of approvers) {
    const nowMs = clock();
    const approval = {
      decision: "approve",
      environment,
      approver: name,
      not_before: utcSeconds(nowMs),
      expires: utcSeconds(nowMs + approvalDays * daySeconds * 1000),
      page_sha256: sha256,
      reason: "demonstration",
      gate_override: page.failed_gates.length === 0 ? null : "demonstration",
    } as const;
    const status = releaseStatus(session.history, manifest, { ...judge, now: new Date(nowMs) });
    await signApproval(session, status, approval, signer);
  }
  const directory = workspace.bundle;
  await exportApproved(session, { manifest, directory, replace: true, withRecords: false, ...judge });
  return bundleId;
}

interface Demonstration {
  readonly producer: Signer;
  readonly approvers: readonly { readonly name: string; readonly signer: Signer }[];
  readonly trustPolicyBytes: Buffer;
}

const daySeconds = 86_400;
const maxApprovalDays = 90;

/** Opens the demonstration keys of a workspace, creates missing ones, and rewrites the trust policy. */
async function demonstrationKeys(workspace: Workspace, nowMs: number): Promise<Demonstration> {
  const { people } = settings;
  await mkdir(workspace.keys, { recursive: true, mode: 0o700 });
  const producer = await keyOf(workspace, people.producer);
  const approvers = [];
  for (const name of people.approvers) approvers.push({ name, signer: await keyOf(workspace, name) });
  const policy = buildTrustPolicy({
    keys: [{ principal: people.producer, key: producer.publicKey }, ...approvers.map(toPrincipal)],
    producers: [people.producer],
    approvers: [...people.approvers],
    threshold: people.approvers.length,
    requireReproduction: 0,
    roots: people.approvers,
    revokers: people.approvers,
    revocations: "optional",
    version: 1,
    environment: settings.environment,
    nowMs,
    lifetimeSec: settings.policyDays * daySeconds,
    maxApprovalDays,
  });
  const trustPolicyBytes = canonicalBytes(policy);
  await rm(workspace.trust, { force: true });
  await writeNewFile(workspace.trust, trustPolicyBytes, 0o644);
  return { producer, approvers, trustPolicyBytes };
}

const toPrincipal = ({ name, signer }: { readonly name: string; readonly signer: Signer }) => ({
  principal: name,
  key: signer.publicKey,
});

async function keyOf(workspace: Workspace, name: string): Promise<Signer> {
  const file = join(workspace.keys, `${name}.pem`);
  if (!(await pathExists(file))) await createKeyFile(file, settings.passphrase);
  return openPrivateKey(file, settings.passphrase);
}
