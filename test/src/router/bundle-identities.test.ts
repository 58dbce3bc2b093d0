import type { Sha256 } from "../../../src/base/sha256.js";
import type { Manifest } from "../../../src/documents/signed.js";
import {
  type BundleIdentities,
  effectiveIdentities,
  identityDifferences,
  signedIdentities,
} from "../../../src/router/start/start-checks.js";
import { onnxRuntimeVersion } from "../../../src/inference/models/open-session.js";
import { serializerIdentity } from "../../../src/documents/workflow-text/identity.js";
import { assert, test } from "../../support/test.js";
import { aCalibration, aCatalog, aPolicy } from "../../support/builders.js";
import { byRetrievalScore, retrieverFiles, verifierFiles } from "../../support/models.js";

const digest = "a".repeat(64) as Sha256;
const file = (version: string) => ({ version, sha256: digest, bytes: 1 });
const model = (version: string) => ({ version, dir_hash1: digest, files: [{ path: "x", size: 1, sha256: digest }] });

/** What a manifest of `effective` says. */
const manifest: Manifest = {
  schema_version: 1,
  bundle_version: "bundle-1",
  created_at: "2026-01-01T00:00:00Z",
  producer: "producer",
  catalog: file("catalog-1"),
  serializer: { version: serializerIdentity().version, golden_sha256: serializerIdentity().goldenSha256 },
  retriever: model("lexical-1"),
  verifier: model("linear-1"),
  prefix: { query: "", document: "" },
  label_order: ["mismatch", "needs_input", "executable"],
  top_k: 8,
  calibration: file("calibration-1"),
  policy: file("default-1"),
  exact_events: { enabled: false, allowed_tiers: ["low"] },
  runtime: { onnxruntime: onnxRuntimeVersion(), tool: "test" },
  golden: file("golden-1"),
  vectors: null,
  evidence: [],
  supersedes: null,
  release: 1,
  rollback_floor: 1,
};

const effective = effectiveIdentities(
  { catalog: aCatalog(), calibration: aCalibration(), policy: aPolicy() },
  { retrieverFiles: retrieverFiles(), verifierFiles: verifierFiles() },
);

test("a manifest of the running values has no differences", () => {
  assert.equal(identityDifferences(signedIdentities(manifest), effective), []);
});

const changes: readonly (readonly [identity: keyof BundleIdentities, change: Partial<Manifest>])[] = [
  ["catalog", { catalog: file("catalog-2") }],
  ["serializer", { serializer: { ...manifest.serializer, version: "other" } }],
  ["serializer", { serializer: { ...manifest.serializer, golden_sha256: digest } }],
  ["retriever", { retriever: model("other") }],
  ["verifier", { verifier: model("other") }],
  ["prefix", { prefix: { query: "query: ", document: "" } }],
  ["prefix", { prefix: { query: "", document: " " } }],
  ["labelOrder", { label_order: ["executable", "needs_input", "mismatch"] }],
  ["topK", { top_k: 9 }],
  ["calibration", { calibration: file("calibration-2") }],
  ["policy", { policy: file("default-2") }],
  ["exactEvents", { exact_events: { enabled: true, allowed_tiers: ["low"] } }],
  ["exactEvents", { exact_events: { enabled: false, allowed_tiers: ["low", "high"] } }],
  ["runtime", { runtime: { onnxruntime: "0.0.1", tool: "test" } }],
];

for (const [index, [identity, change]] of changes.entries()) {
  test(`change ${index + 1}: ${identity} alone is named, with both values`, () => {
    const signed = signedIdentities({ ...manifest, ...change });
    assert.equal(identityDifferences(signed, effective), [
      `${identity}: running ${effective[identity]}, signed ${signed[identity]}`,
    ]);
  });
}

test("every identity can differ, and all differences are reported together", () => {
  assert.equal([...new Set(changes.map(([identity]) => identity))].sort(), Object.keys(effective).sort());
  const everything = Object.assign({}, manifest, ...changes.map(([, change]) => change)) as Manifest;
  const found = identityDifferences(signedIdentities(everything), effective).map((line) => line.split(":")[0] ?? "");
  assert.equal([...found].sort(), Object.keys(effective).sort());
});

test("the running side comes from the files that are loaded", () => {
  const verifier = verifierFiles({ ...byRetrievalScore, labelOrder: ["executable", "mismatch", "needs_input"] });
  const other = effectiveIdentities(
    { catalog: aCatalog(), calibration: aCalibration(), policy: aPolicy({ top_k: 3 }) },
    { retrieverFiles: retrieverFiles(), verifierFiles: verifier },
  );
  assert.equal(
    identityDifferences(signedIdentities(manifest), other).map((line) => line.split(":")[0]),
    ["labelOrder", "topK"],
  );
});
