import { createPrivateKey } from "node:crypto";
import type { BundleId } from "../../src/documents/primitives.js";
import { comparePaths, dirHash1 } from "../../src/trust/directory-hash.js";
import { type ExportedBundle, exportBundle } from "../../release/bundle-files/export-bundle.js";
import { approvalStatement, manifestStatement, revocationsStatement } from "../../release/signing/statements.js";
import {
  type SignedStatement,
  signStatement,
  type Signer,
  signerFromPrivateKey,
} from "../../release/signing/sign-statement.js";
import { bundleIdOf } from "../../src/trust/statements.js";
import { preAuthEncoding } from "../../src/trust/verify/open-envelope.js";
import type { ClaimDigests } from "../../src/trust/verify/open-manifest.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { sha256Hex, type Sha256 } from "../../src/base/sha256.js";
import {
  type Approval,
  type Envelope,
  type Manifest,
  type RevocationList,
  type StatedReproduction,
  statementPayloadType,
  type TrustPolicy,
} from "../../src/documents/signed.js";

/** The moment at which every built bundle is valid. */
export const testNow = new Date("2026-03-01T12:00:00Z");
export const testEnvironment = "production";

const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

/** Ed25519 signer whose key depends on the name only. */
export function testSigner(name: string): Signer {
  const seed = Buffer.from(sha256Hex(`test key of ${name}`), "hex");
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: "der", type: "pkcs8" });
  return signerFromPrivateKey(key, name);
}

/** An envelope around any bytes, signed with the key of that name. */
export async function signedEnvelope(
  name: string,
  body: Buffer,
  payloadType: string = statementPayloadType,
): Promise<Envelope> {
  const signer = testSigner(name);
  const sig = (await signer.sign(preAuthEncoding(payloadType, body))).toString("base64");
  return { payload: body.toString("base64"), payloadType, signatures: [{ keyid: signer.keyId, sig }] };
}

type TrustKey = TrustPolicy["principals"][number]["keys"][number];

/** Entry of a trust policy for the key of that name. */
export function trustKey(name: string, changes: Partial<TrustKey> = {}): TrustKey {
  const { keyId, publicKey } = testSigner(name);
  return {
    key_id: keyId,
    public_key: publicKey.raw.toString("base64"),
    valid_from: "2026-01-01T00:00:00Z",
    valid_until: "2027-01-01T00:00:00Z",
    ...changes,
  };
}

/** pam produces; ana, bob and carl approve, two of them are needed; ana has a second key "ana-2". */
export function testTrust(): TrustPolicy {
  const person = (id: string, ...keys: readonly string[]) => {
    return { id, display: id, keys: keys.map((name) => trustKey(name)) };
  };
  return {
    schema_version: 1,
    version: 1,
    expires: "2026-12-01T00:00:00Z",
    principals: [person("pam", "pam"), person("ana", "ana", "ana-2"), person("bob", "bob"), person("carl", "carl")],
    roles: {
      root: { threshold: 2, principals: ["ana", "bob", "carl"] },
      revoker: ["ana", "bob"],
      producer: ["pam"],
      approver: [{ environment: testEnvironment, threshold: 2, principals: ["ana", "bob", "carl", "pam"] }],
    },
    limits: { max_approval_days: 90, clock_skew_sec: 60, revocations: "optional" },
  };
}

export const testTrustBytes = (): Buffer => canonicalBytes(testTrust());

/** Files of a small bundle, without manifest and approvals. */
export function testFiles(): Map<string, Buffer> {
  return new Map(
    Object.entries({
      "catalog.yaml": "catalog_version: test-1\nworkflows: []\n",
      "calibration.json": '{"calibration_version":"c1"}',
      "policy.json": '{"policy_version":"p1"}',
      "golden.json": '{"cases":[]}',
      "evidence/evaluation.json": '{"evaluation":1}',
      "models/retriever/router_model.json": '{"role":"retriever"}',
      "models/retriever/weights.bin": "\u0000\u0001retriever weights",
      "models/verifier/onnx/model.onnx": "verifier graph",
      "models/verifier/router_model.json": '{"role":"verifier"}',
    }).map(([path, text]) => [path, Buffer.from(text, "utf8")]),
  );
}

function identity(files: ReadonlyMap<string, Buffer>, path: string, version: string) {
  const bytes = files.get(path) ?? Buffer.alloc(0);
  return { version, sha256: sha256Hex(bytes), bytes: bytes.length };
}

function modelIdentity(files: ReadonlyMap<string, Buffer>, role: string) {
  const folder = `models/${role}/`;
  const entries = [...files]
    .filter(([path]) => path.startsWith(folder))
    .map(([path, bytes]) => ({ path: path.slice(folder.length), size: bytes.length, sha256: sha256Hex(bytes) }))
    .sort((a, b) => comparePaths(a.path, b.path));
  return { version: `${role}-1`, dir_hash1: dirHash1(entries), files: entries };
}

/** Documents of a claim that nothing but a reproduction states. */
export const testClaim = { calibration: sha256Hex("a calibration"), evaluation: sha256Hex("an evaluation") } as const;

/** What an approver states who derived a claim again. */
export function testReproduction(claim: ClaimDigests = testClaim): StatedReproduction {
  const { calibration, evaluation } = claim;
  if (evaluation === null) throw new Error("nobody can derive a claim without an evaluation");
  const platform = { platform: "linux", arch: "x64", node: "20.20.0", onnxruntime: "1.30.0", tool: "0.2.0" };
  return {
    from: "records",
    calibration_sha256: calibration as Sha256,
    evaluation_sha256: evaluation as Sha256,
    platform,
  };
}

/** A manifest of these files by pam. */
export function testManifest(files: ReadonlyMap<string, Buffer>): Manifest {
  const evidence = files.get("evidence/evaluation.json") ?? Buffer.alloc(0);
  return {
    schema_version: 1,
    bundle_version: "2026.3.1",
    created_at: "2026-03-01T00:00:00Z",
    producer: "pam",
    catalog: identity(files, "catalog.yaml", "test-1"),
    serializer: { version: "s1", golden_sha256: sha256Hex("golden vectors") },
    retriever: modelIdentity(files, "retriever"),
    verifier: modelIdentity(files, "verifier"),
    prefix: { query: "query: ", document: "" },
    label_order: ["mismatch", "needs_input", "executable"],
    top_k: 8,
    calibration: identity(files, "calibration.json", "c1"),
    policy: identity(files, "policy.json", "p1"),
    exact_events: { enabled: false, allowed_tiers: [] },
    runtime: { onnxruntime: "1.30.0", tool: "0.1.0" },
    golden: identity(files, "golden.json", "g1"),
    vectors: null,
    evidence: [{ name: "evaluation.json", sha256: sha256Hex(evidence) }],
    supersedes: null,
    release: 1,
    rollback_floor: 1,
  };
}

/** `testTrust`, which wants a revocation list. */
export function trustWithRevocations(): TrustPolicy {
  const base = testTrust();
  return { ...base, limits: { ...base.limits, revocations: "required" } };
}

/** An approval of a bundle, signed with the key of that name. */
export async function testApproval(
  bundleId: string,
  approver: string,
  changes: Partial<Approval> = {},
  keyName = approver,
): Promise<SignedStatement> {
  const predicate: Approval = {
    decision: "approve",
    environment: testEnvironment,
    approver,
    not_before: "2026-03-01T00:00:00Z",
    expires: "2026-04-01T00:00:00Z",
    page_sha256: sha256Hex("page"),
    reason: "looks right",
    gate_override: null,
    ...changes,
  };
  return signStatement(
    approvalStatement({ bundleId: bundleId as BundleId, bundleVersion: "2026.3.1" }, predicate),
    testSigner(keyName),
  );
}

export interface BuiltBundle extends ExportedBundle {
  readonly manifest: SignedStatement;
}

/** Writes a bundle that ana and bob approved. */
export async function writeTestBundle(
  directory: string,
  files = testFiles(),
  changes: Partial<Manifest> = {},
): Promise<BuiltBundle> {
  const predicate = { ...testManifest(files), ...changes };
  const manifest = await signStatement(manifestStatement(predicate), testSigner("pam"));
  const bundleId = bundleIdOf(manifest.payload);
  const approvals = [];
  for (const name of ["ana", "bob"]) {
    approvals.push({ name, bytes: (await testApproval(bundleId, name)).envelopeBytes });
  }
  const exported = await exportBundle({
    directory,
    manifestEnvelopeBytes: manifest.envelopeBytes,
    approvals,
    files,
    replace: true,
  });
  return { ...exported, manifest };
}

type Revoked = RevocationList["revoked"][number];

/** A revocation list of these things, signed by the revoker ana. */
export async function testRevocations(
  revoked: readonly Pick<Revoked, "kind" | "sha256">[],
  changes: Partial<RevocationList> = {},
  keyName = "ana",
): Promise<Buffer> {
  const predicate: RevocationList = {
    schema_version: 1,
    sequence: 1,
    revoker: "ana",
    issued_at: "2026-03-01T00:00:00Z",
    next_update: "2026-03-15T00:00:00Z",
    revoked: revoked.map((entry) => ({ sequence: 1, ...entry, revoked_at: "2026-03-01T00:00:00Z", reason: "" })),
    ...changes,
  };
  return (await signStatement(revocationsStatement(predicate), testSigner(keyName))).envelopeBytes;
}
