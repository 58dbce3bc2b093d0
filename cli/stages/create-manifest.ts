import { foldOf } from "../../datasets/split-by-workflow.js";
import { bundleFiles, bundleFolders } from "../../src/artifacts/bundle-layout.js";
import { manifestStatement } from "../../src/artifacts/sign/manifest-statement.js";
import { signStatement } from "../../src/artifacts/sign/sign-statement.js";
import type { Signer } from "../../src/artifacts/sign/signer.js";
import { bundleIdOf } from "../../src/artifacts/statements.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import { clusterOf } from "../../src/domain/dataset.js";
import type { ManifestPredicateWire } from "../../src/domain/signed.js";
import { onnxRuntimeVersion } from "../../src/inference/runtime-version.js";
import { parseRetrieverModel } from "../../src/retrieval/load-retriever.js";
import { serializerIdentity } from "../../src/serializer/identity.js";
import { parseVerifierModel } from "../../src/verification/load-verifier.js";
import { parseGolden } from "../../src/routing/check-golden.js";
import { toolVersion } from "../tool-version.js";
import { goldenDecisions } from "./golden-decisions.js";
import {
  readCalibration,
  readCatalog,
  readDataset,
  readEvaluationOf,
  readModel,
  readPolicy,
  readRun,
  readSplit,
} from "./read-records.js";
import { utcSeconds } from "../timestamp.js";
import { keepRecord, media, type Stage } from "./stage.js";

export interface CreateManifestOptions {
  readonly calibrationId?: string;
  readonly bundleVersion: string;
  /** Principal of the trust policy who signs. */
  readonly producer: string;
  readonly signer: Signer;
}

export interface CreatedManifest {
  readonly bundleId: string;
  readonly manifestId: string;
  readonly goldenCases: number;
}

/**
 * Builds the manifest of a calibration from effective values, signs it as its producer and keeps it together with
 * every file of the bundle. The digests of the whole chain are checked again here.
 */
export async function createManifest(stage: Stage, options: CreateManifestOptions): Promise<CreatedManifest> {
  const { history } = stage;
  const calibration = readCalibration(history, options.calibrationId);
  const run = readRun(history, calibration.document.digests.run);
  const catalog = readCatalog(history, run.document.catalogSha256);
  const dataset = readDataset(history, run.document.datasetSha256);
  const split = readSplit(history, run.document.splitSha256);
  const policy = readPolicy(history, run.document.policySha256);
  const retriever = readModel(history, run.document.retrieverSha256);
  const verifier = readModel(history, run.document.verifierSha256);
  const evaluation = readEvaluationOf(history, calibration.sha256);

  const folds = foldOf(split.document);
  const golden = await goldenDecisions({
    catalog: catalog.document,
    calibration: calibration.document,
    policy: policy.document,
    models: { retrieverFiles: retriever.files, verifierFiles: verifier.files },
    requests: dataset.document.filter((row) => folds.get(clusterOf(row)) === "eval"),
  });
  const evidence = new Map([
    ["evaluation.json", evaluation.bytes],
    ["split.json", split.bytes],
    ["run.json", run.bytes],
  ]);
  const retrieverModel = parseRetrieverModel(retriever.files);
  const identity = serializerIdentity();
  const file = (version: string, bytes: Buffer) => ({ version, sha256: sha256Hex(bytes), bytes: bytes.length });
  const model = ({ document }: typeof retriever) => ({
    version: document.version,
    dir_hash1: document.dir_hash1,
    files: document.files,
  });
  const predicate: ManifestPredicateWire = {
    schema_version: 1,
    bundle_version: options.bundleVersion,
    created_at: utcSeconds(stage.context.clock()),
    producer: options.producer,
    catalog: file(catalog.document.catalogVersion, catalog.bytes),
    serializer: { version: identity.version, golden_sha256: identity.goldenSha256 },
    retriever: model(retriever),
    verifier: model(verifier),
    prefix: retrieverModel.prefix,
    label_order: [...parseVerifierModel(verifier.files).labelOrder],
    top_k: policy.document.topK,
    calibration: file(calibration.document.calibrationVersion, calibration.bytes),
    policy: file(policy.document.policyVersion, policy.bytes),
    exact_events: {
      enabled: policy.document.exactEvents.enabled,
      allowed_tiers: [...policy.document.exactEvents.allowedTiers],
    },
    runtime: { onnxruntime: onnxRuntimeVersion(), tool: toolVersion() },
    golden: file("golden-1", golden),
    evidence: [...evidence].map(([name, bytes]) => ({ name, sha256: sha256Hex(bytes) })),
    supersedes: null,
  };
  const signed = await signStatement(manifestStatement(predicate), options.signer);
  const files = new Map<string, Buffer>([
    [bundleFiles.catalog, catalog.bytes],
    [bundleFiles.calibration, calibration.bytes],
    [bundleFiles.policy, policy.bytes],
    [bundleFiles.golden, golden],
    ...prefixed(bundleFolders.retriever, retriever.files),
    ...prefixed(bundleFolders.verifier, verifier.files),
    ...prefixed(bundleFolders.evidence, evidence),
  ]);
  const attachments = [...files.values()].map((bytes) => ({ bytes, media: media.binary }));
  const content = { bytes: signed.envelopeBytes, media: media.json };
  const { sha256 } = keepRecord({ ...stage, actor: options.producer }, "manifest", content, attachments);
  return { bundleId: bundleIdOf(signed.payload), manifestId: sha256, goldenCases: parseGolden(golden).cases.length };
}

const prefixed = (folder: string, files: ReadonlyMap<string, Buffer>): readonly (readonly [string, Buffer])[] =>
  [...files].map(([path, bytes]) => [`${folder}${path}`, bytes] as const);
