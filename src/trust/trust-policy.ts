import { counted } from "../documents/number-text.js";
import { checkSchema } from "../documents/check-schema.js";
import { type TrustPolicy, TrustPolicySchema } from "../documents/signed.js";
import { SluiceError } from "../base/error.js";
import { decodeBase64 } from "./base64.js";
import { personKey } from "./person.js";
import { printable } from "../base/text.js";
import { type PublicKey, publicKeyFromRaw } from "./public-key.js";
import { readStrictJson } from "./strict-json.js";
import { parseTime, type Validity } from "./validity.js";

const what = "trust policy";

/** A key of the trust policy, with its holder and its period of validity. */
export interface TrustedKey extends PublicKey, Validity {
  readonly principal: string;
}

/** A trust policy with keys that are ready for verification. */
export interface TrustStore {
  readonly policy: TrustPolicy;
  /** Keys of all principals; no two share the same 32 bytes. */
  readonly keys: readonly TrustedKey[];
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
  readonly clockSkewMs: number;
}

function invalid(message: string): SluiceError {
  return new SluiceError("TRUST_POLICY_INVALID", `${what}: ${message}`);
}

function firstDuplicate(values: readonly string[]): string | undefined {
  return values.find((value, index) => values.indexOf(value) !== index);
}

function trustedKeys(policy: TrustPolicy): readonly TrustedKey[] {
  const keys = policy.principals.flatMap((principal) =>
    principal.keys.map((entry): TrustedKey => {
      const where = `${what}: a key of "${printable(principal.id)}"`;
      const key = publicKeyFromRaw(decodeBase64(entry.public_key, where), where);
      if (key.keyId !== entry.key_id) {
        throw invalid(`key_id ${entry.key_id} of "${printable(principal.id)}" is not the id ${key.keyId} of its key`);
      }
      const notBefore = parseTime(entry.valid_from, `${where}: valid_from`);
      const expires = parseTime(entry.valid_until, `${where}: valid_until`);
      if (expires <= notBefore) throw invalid(`key ${key.keyId} ends before it begins`);
      return { ...key, principal: principal.id, notBefore, expires };
    }),
  );
  const repeated = firstDuplicate(keys.map((key) => key.keyId));
  if (repeated !== undefined) throw invalid(`key ${repeated} is listed twice; a key belongs to one person only`);
  return keys;
}

function checkNames(names: readonly string[], known: ReadonlySet<string>, role: string): void {
  const repeated = firstDuplicate(names);
  if (repeated !== undefined) throw invalid(`role ${role} names "${printable(repeated)}" twice`);
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw invalid(`role ${role} names "${printable(unknown)}", who is not a principal`);
}

function checkRoles(policy: TrustPolicy): void {
  const ids = policy.principals.map((principal) => principal.id);
  const repeated = firstDuplicate(ids);
  if (repeated !== undefined) throw invalid(`principal "${printable(repeated)}" is listed twice`);
  const people = ids.map(personKey);
  const empty = people.indexOf("");
  if (empty !== -1) throw invalid(`principal "${printable(ids[empty] ?? "")}" has no visible character`);
  const alike = firstDuplicate(people);
  if (alike !== undefined) {
    const twins = ids.filter((id) => personKey(id) === alike).map((id) => `"${printable(id)}"`);
    throw invalid(`principals ${twins.join(" and ")} look the same and count as one person`);
  }
  const known = new Set(ids);
  checkNames(policy.roles.producer, known, "producer");
  checkNames(policy.roles.revoker, known, "revoker");
  const { root } = policy.roles;
  checkNames(root.principals, known, "root");
  if (root.threshold > root.principals.length) {
    throw invalid(
      `role root requires ${counted(root.threshold, "signature")} but lists ${counted(root.principals.length, "person", "people")}`,
    );
  }
  const environment = firstDuplicate(policy.roles.approver.map((rule) => rule.environment));
  if (environment !== undefined) throw invalid(`environment "${printable(environment)}" has two approver rules`);
  for (const rule of policy.roles.approver) {
    const role = `approver of "${printable(rule.environment)}"`;
    checkNames(rule.principals, known, role);
    if (rule.threshold > rule.principals.length) {
      throw invalid(
        `${role} requires ${counted(rule.threshold, "approval")} but lists ${counted(rule.principals.length, "person", "people")}`,
      );
    }
    const { require_reproduction = 0 } = rule;
    if (require_reproduction > rule.threshold) {
      throw invalid(
        `${role} requires ${require_reproduction} reproductions but only ${counted(rule.threshold, "approval")}`,
      );
    }
  }
}

/**
 * Reads a trust policy (canonical JSON) and checks that it is consistent. `requireCurrentTrust` checks its expiry.
 * @throws {SluiceError} the codes of `readStrictJson`; TRUST_POLICY_INVALID, NOT_CANONICAL, KEY_INVALID,
 *   DOCUMENT_INVALID (a time that does not exist)
 */
export function parseTrustPolicy(bytes: Uint8Array): TrustStore {
  const policy = checkSchema(TrustPolicySchema, readStrictJson(bytes, what), what, "TRUST_POLICY_INVALID");
  checkRoles(policy);
  return {
    policy,
    keys: trustedKeys(policy),
    expires: parseTime(policy.expires, `${what}: expires`),
    clockSkewMs: policy.limits.clock_skew_sec * 1000,
  };
}

/** @throws {SluiceError} EXPIRED */
export function requireCurrentTrust(trust: TrustStore, now: Date): void {
  if (now.getTime() < trust.expires + trust.clockSkewMs) return;
  throw new SluiceError("EXPIRED", `${what}: expired at ${trust.policy.expires}`, {
    hint: "Ask the owner of the trust policy for its next version.",
  });
}
