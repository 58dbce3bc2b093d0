import type { Calibration } from "../domain/calibration.js";
import type { Catalog } from "../domain/catalog.js";
import type { ExactEvents, RoutingPolicy } from "../domain/policy.js";
import type { ManifestPredicate } from "../domain/signed.js";
import { onnxRuntimeVersion } from "../inference/runtime-version.js";
import { guardsIdentity } from "../policy/guards/guards-identity.js";
import { parseRetrieverModel } from "../retrieval/parse-retriever.js";
import { serializerIdentity } from "../serializer/identity.js";
import { parseVerifierModel } from "../verification/parse-verifier.js";
import type { ModelSources } from "./load-models.js";

/** The values of a running bundle that its manifest pins, beyond the digests of files. */
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
  readonly guards: string;
  readonly runtime: string;
}

const text = (value: unknown): string => JSON.stringify(value);
const eventsText = ({ enabled, allowedTiers, abstainingTiers = [] }: ExactEvents): string =>
  text([enabled, allowedTiers, abstainingTiers]);
const guardsText = (guards: ManifestPredicate["guards"]): string => text([guards.guardIds, guards.sha256]);

/** The values that will run. */
export function effectiveIdentities(
  documents: { readonly catalog: Catalog; readonly calibration: Calibration; readonly policy: RoutingPolicy },
  sources: ModelSources,
): BundleIdentities {
  const retriever = parseRetrieverModel(sources.retrieverFiles);
  const verifier = parseVerifierModel(sources.verifierFiles);
  const serializer = serializerIdentity();
  const { exactEvents, guards, policyVersion, topK } = documents.policy;
  return {
    catalog: documents.catalog.catalogVersion,
    serializer: text([serializer.version, serializer.goldenSha256]),
    retriever: retriever.version,
    verifier: verifier.version,
    prefix: text([retriever.prefix.query, retriever.prefix.document]),
    labelOrder: text(verifier.labelOrder),
    topK: text(topK),
    calibration: documents.calibration.calibrationVersion,
    policy: policyVersion,
    exactEvents: eventsText(exactEvents),
    guards: guardsText(guardsIdentity(guards)),
    runtime: onnxRuntimeVersion(),
  };
}

/** The signed values. */
export function signedIdentities(manifest: ManifestPredicate): BundleIdentities {
  return {
    catalog: manifest.catalog.version,
    serializer: text([manifest.serializer.version, manifest.serializer.goldenSha256]),
    retriever: manifest.retriever.version,
    verifier: manifest.verifier.version,
    prefix: text([manifest.prefix.query, manifest.prefix.document]),
    labelOrder: text(manifest.labelOrder),
    topK: text(manifest.topK),
    calibration: manifest.calibration.version,
    policy: manifest.policy.version,
    exactEvents: eventsText(manifest.exactEvents),
    guards: guardsText(manifest.guards),
    runtime: manifest.runtime.onnxruntime,
  };
}

/** Every difference, with both values; empty when all are equal. */
export function identityDifferences(signed: BundleIdentities, effective: BundleIdentities): readonly string[] {
  return (Object.keys(signed) as (keyof BundleIdentities)[])
    .filter((name) => signed[name] !== effective[name])
    .map((name) => `${name}: running ${effective[name]}, signed ${signed[name]}`);
}
