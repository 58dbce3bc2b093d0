import { bundleFiles, bundleFolders } from "../../trust/bundle-layout.js";
import { productionProblemLines } from "../catalog/rules.js";
import type { Calibration } from "../../documents/calibration.js";
import type { Catalog } from "../../documents/catalog.js";
import type { RoutingPolicy, ExactEvents } from "../../documents/policy.js";
import type { Golden, Manifest } from "../../documents/signed.js";
import type { ModelSources } from "../load-models.js";
import { readStartParts, type StartBytes, type StartParts } from "./bundle-documents.js";
import { findingOf, findingsError, type StartFinding } from "./start-finding.js";
import { command, say, SluiceError } from "../../base/error.js";
import { readsColumns } from "../policy/calibrator-curve.js";
import type { ModelFiles } from "../retrieval/model-files.js";
import { parseVerifierModel } from "../verification/parse-verifier.js";
import { onnxRuntimeVersion } from "../../inference/models/open-session.js";
import { parseRetrieverModel } from "../retrieval/parse-retriever.js";
import { serializerIdentity } from "../../documents/workflow-text/identity.js";

type StartCheck = (parts: StartParts) => readonly StartFinding[];

/** Refuses models made for trials only. */
const capability: StartCheck = ({ retriever, verifier }) =>
  [retriever, verifier].flatMap((model) => {
    if (model === null || model.capability === "production") return [];
    const message = `the ${model.role} ${model.version} declares ${model.capability} capability`;
    const file = model.role === "retriever" ? bundleFolders.retriever : bundleFolders.verifier;
    return [{ rule: "capability", code: "PRODUCTION_CONFIGURATION", file, message }];
  });

/** Compares effective values with the signed ones. */
const identities: StartCheck = ({ manifest, catalog, calibration, policy, retriever, verifier, ...sources }) => {
  if (manifest === null || catalog === null || calibration === null || policy === null) return [];
  if (retriever === null || verifier === null) return [];
  const effective = effectiveIdentities({ catalog, calibration, policy }, sources);
  return identityDifferences(signedIdentities(manifest), effective).map((difference) => ({
    rule: difference.startsWith("exactEvents:") ? "exact_events" : "identities",
    code: "IDENTITY_MISMATCH",
    file: bundleFiles.manifest,
    message: difference,
    hint: "Serve this bundle with the versions that its manifest names, or sign a new manifest.",
  }));
};

/** The calibration must weigh only features that the verifier reads. */
const features: StartCheck = ({ calibration, verifier, verifierFiles }) => {
  if (calibration === null || verifier === null) return [];
  try {
    requireFeatures(calibration, verifierFiles);
    return [];
  } catch (thrown) {
    return [findingOf(thrown, "identities", bundleFiles.calibration)];
  }
};

/** Requires owners, and events that are declared by one workflow only. */
const productionCatalog: StartCheck = ({ catalog }) =>
  (catalog === null ? [] : productionProblemLines(catalog)).map((message) => ({
    rule: "catalog",
    code: "CATALOG_NOT_PRODUCTION",
    file: bundleFiles.catalog,
    message,
    hint: "Correct the catalog, as the check of a catalog for production lists.",
  }));

/** Every check of a bundle's documents, in the order in which a start reports them. */
const startChecks: readonly StartCheck[] = [identities, features, capability, productionCatalog];

/** The documents of a bundle, all of which could be read. */
export interface StartDocuments {
  readonly catalog: Catalog;
  readonly calibration: Calibration;
  readonly policy: RoutingPolicy;
  readonly golden: Golden;
  readonly sources: ModelSources;
}

export interface CheckedStart {
  /** null if one of them could not be read. */
  readonly documents: StartDocuments | null;
  /** Empty if only the warm-up remains. */
  readonly findings: readonly StartFinding[];
}

/** Runs every check that needs no running model. Used by the server, `bundle verify` and `manifest create`. */
export function checkStart(bytes: StartBytes, catalogOf?: (content: Buffer) => Catalog): CheckedStart {
  const { parts, findings } = readStartParts(bytes, catalogOf);
  const { catalog, calibration, policy, golden, vectorBytes, retrieverFiles, verifierFiles } = parts;
  const sources = { retrieverFiles, verifierFiles, vectorBytes };
  const isComplete = catalog !== null && calibration !== null && policy !== null && golden !== null;
  return {
    documents: isComplete ? { catalog, calibration, policy, golden, sources } : null,
    findings: [...findings, ...startChecks.flatMap((check) => check(parts))],
  };
}

/**
 * Returns the documents of a bundle that passes every check of `checkStart`.
 * @param catalogOf  parses the catalog; by default `parseCatalog`
 * @throws {SluiceError} with the code of the first finding, and the message of each
 */
export function requireStart(bytes: StartBytes, catalogOf?: (content: Buffer) => Catalog): StartDocuments {
  const { documents, findings } = checkStart(bytes, catalogOf);
  if (documents === null || findings.length > 0) throw findingsError(findings);
  return documents;
}

/**
 * Refuses a calibration that weighs features which its verifier does not read, or reads in a different order.
 * @throws {SluiceError} CALIBRATION_INVALID; MODEL_INVALID
 */
export function requireFeatures({ calibrator }: Pick<Calibration, "calibrator">, verifierFiles: ModelFiles): void {
  const model = parseVerifierModel(verifierFiles);
  const names = "features" in model ? model.features : [];
  if (readsColumns(calibrator, names)) return;
  const message = `the columns of the calibration differ from those of the verifier ${model.version}`;
  throw new SluiceError("CALIBRATION_INVALID", message, {
    hint: say`Fit the calibration again on a run of this verifier: ${command`sluice calibrate fit`}`,
    details: { found: "columns" in calibrator ? calibrator.columns.map(({ name }) => name) : [], expected: names },
  });
}

/** The values of a running bundle that its manifest pins, besides the digests of files. */
export interface BundleIdentities {
  readonly catalog: string;
  readonly serializer: string;
  readonly retriever: string;
  readonly verifier: string;
  readonly prefix: string;
  readonly labelOrder: string;
  readonly topK: string;
  readonly calibration: string;
  readonly policy: string;
  readonly exactEvents: string;
  readonly runtime: string;
}

const text = (value: unknown): string => JSON.stringify(value);
const eventsText = ({ enabled, allowed_tiers, abstaining_tiers = [] }: ExactEvents): string =>
  text([enabled, allowed_tiers, abstaining_tiers]);

/** The values that the running bundle would use. */
export function effectiveIdentities(
  documents: { readonly catalog: Catalog; readonly calibration: Calibration; readonly policy: RoutingPolicy },
  sources: ModelSources,
): BundleIdentities {
  const retriever = parseRetrieverModel(sources.retrieverFiles);
  const verifier = parseVerifierModel(sources.verifierFiles);
  const serializer = serializerIdentity();
  const { exact_events, policy_version, top_k } = documents.policy;
  return {
    catalog: documents.catalog.catalog_version,
    serializer: text([serializer.version, serializer.goldenSha256]),
    retriever: retriever.version,
    verifier: verifier.version,
    prefix: text([retriever.prefix.query, retriever.prefix.document]),
    labelOrder: text(verifier.label_order),
    topK: text(top_k),
    calibration: documents.calibration.calibration_version,
    policy: policy_version,
    exactEvents: eventsText(exact_events),
    runtime: onnxRuntimeVersion(),
  };
}

export function signedIdentities(manifest: Manifest): BundleIdentities {
  return {
    catalog: manifest.catalog.version,
    serializer: text([manifest.serializer.version, manifest.serializer.golden_sha256]),
    retriever: manifest.retriever.version,
    verifier: manifest.verifier.version,
    prefix: text([manifest.prefix.query, manifest.prefix.document]),
    labelOrder: text(manifest.label_order),
    topK: text(manifest.top_k),
    calibration: manifest.calibration.version,
    policy: manifest.policy.version,
    exactEvents: eventsText(manifest.exact_events),
    runtime: manifest.runtime.onnxruntime,
  };
}

/** Every difference, with both values; empty if all are equal. */
export function identityDifferences(signed: BundleIdentities, effective: BundleIdentities): readonly string[] {
  return (Object.keys(signed) as (keyof BundleIdentities)[])
    .filter((name) => signed[name] !== effective[name])
    .map((name) => `${name}: running ${effective[name]}, signed ${signed[name]}`);
}
