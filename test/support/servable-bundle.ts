import { exportBundle } from "../../release/bundle-files/export-bundle.js";
import { manifestStatement } from "../../release/signing/statements.js";
import { signStatement } from "../../release/signing/sign-statement.js";
import { bundleIdOf } from "../../src/trust/statements.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import { goldenDecisions } from "../../release/create-manifest.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import type { Manifest } from "../../src/documents/signed.js";
import { onnxRuntimeVersion } from "../../src/inference/models/open-session.js";
import { parseRetrieverModel } from "../../src/router/retrieval/parse-retriever.js";
import { serializerIdentity } from "../../src/documents/workflow-text/identity.js";
import { parseVerifierModel } from "../../src/router/verification/parse-verifier.js";
import { aCalibration, aCatalog, aPolicy } from "./builders.js";
import { testApproval, testManifest, testSigner } from "./builders-artifacts.js";
import { retrieverFiles, verifierFiles } from "./models.js";

const placed = (folder: string, files: ReadonlyMap<string, Uint8Array>): readonly (readonly [string, Buffer])[] =>
  [...files].map(([path, bytes]) => [`${folder}${path}`, Buffer.from(bytes)]);

const builtFiles = new Map<string, Promise<ReadonlyMap<string, Buffer>>>();

/**
 * Files of a bundle that really serves the three workflows of the builders. The golden decisions, which need both models
 * loaded, are made once for each catalog version; every caller gets its own bytes.
 */
async function servableFiles(catalogVersion: string): Promise<Map<string, Buffer>> {
  const files = builtFiles.get(catalogVersion) ?? buildFiles(catalogVersion);
  builtFiles.set(catalogVersion, files);
  return new Map([...(await files)].map(([path, bytes]) => [path, Buffer.from(bytes)]));
}

async function buildFiles(catalogVersion: string): Promise<ReadonlyMap<string, Buffer>> {
  const { workflows } = aCatalog();
  const catalogBytes = canonicalBytes({ schema_version: 1, catalog_version: catalogVersion, workflows });
  const catalog = parseCatalog(catalogBytes, "catalog.yaml");
  const calibration = aCalibration();
  const policy = aPolicy({ deadline_ms: 30_000 });
  const models = { retrieverFiles: retrieverFiles(), verifierFiles: verifierFiles() };
  const requests = ["where is my order", "refund my last invoice", "zebra"].map((text, i) => {
    return { id: `row-${i}`, text, workflow_id: null };
  });
  const { golden } = await goldenDecisions({ catalog, calibration, policy, models, requests });
  return new Map([
    ["catalog.yaml", catalogBytes],
    ["calibration.json", canonicalBytes(calibration)],
    ["policy.json", canonicalBytes(policy)],
    ["golden.json", golden],
    ["evidence/evaluation.json", Buffer.from("{}")],
    ...placed("models/retriever/", models.retrieverFiles),
    ...placed("models/verifier/", models.verifierFiles),
  ]);
}

function servableManifest(files: ReadonlyMap<string, Buffer>, catalogVersion: string): Manifest {
  const base = testManifest(files);
  const policy = aPolicy();
  const retriever = parseRetrieverModel(retrieverFiles());
  const verifier = parseVerifierModel(verifierFiles());
  const { version, goldenSha256 } = serializerIdentity();
  return {
    ...base,
    catalog: { ...base.catalog, version: catalogVersion },
    serializer: { version, golden_sha256: goldenSha256 },
    retriever: { ...base.retriever, version: retriever.version },
    verifier: { ...base.verifier, version: verifier.version },
    prefix: retriever.prefix,
    label_order: [...verifier.label_order],
    top_k: policy.top_k,
    calibration: { ...base.calibration, version: aCalibration().calibration_version },
    policy: { ...base.policy, version: policy.policy_version },
    exact_events: { enabled: policy.exact_events.enabled, allowed_tiers: [...policy.exact_events.allowed_tiers] },
    runtime: { onnxruntime: onnxRuntimeVersion(), tool: "0.1.0" },
  };
}

/** What to change before everything is signed. */
export interface BundleChanges {
  readonly files?: (files: Map<string, Buffer>) => void;
  readonly manifest?: Partial<Manifest>;
  /** Who approves; ana and bob unless named. */
  readonly approvers?: readonly string[];
  readonly approval?: Parameters<typeof testApproval>[2];
}

/**
 * Writes a bundle that a production server can serve: by pam, approved by ana and bob, valid at `testNow` under
 * `testTrust`.
 * @returns the bundle id
 */
export async function writeServableBundle(
  directory: string,
  catalogVersion = "catalog-1",
  changes: BundleChanges = {},
): Promise<string> {
  const files = await servableFiles(catalogVersion);
  changes.files?.(files);
  const predicate = { ...servableManifest(files, catalogVersion), ...changes.manifest };
  const manifest = await signStatement(manifestStatement(predicate), testSigner("pam"));
  const bundleId = bundleIdOf(manifest.payload);
  const approvals = [];
  for (const name of changes.approvers ?? ["ana", "bob"]) {
    approvals.push({ name, bytes: (await testApproval(bundleId, name, changes.approval)).envelopeBytes });
  }
  const exported = { directory, manifestEnvelopeBytes: manifest.envelopeBytes, approvals, files, replace: true };
  await exportBundle(exported);
  return bundleId;
}
