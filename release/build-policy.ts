import type { PublicKey } from "../src/trust/public-key.js";
import type { TrustPolicy } from "../src/documents/signed.js";
import { utcSeconds } from "../src/base/text.js";

/** Tolerated clock skew in seconds. */
const clockSkewSec = 300;

export interface TrustInput {
  /** A person may hold several keys; the order is preserved. */
  readonly keys: readonly { readonly principal: string; readonly key: PublicKey }[];
  readonly producers: readonly string[];
  readonly approvers: readonly string[];
  readonly threshold: number;
  /** Number of approvals that must state an equal reproduction. With 0, the policy omits the requirement. */
  readonly requireReproduction: number;
  /** Who signs the next version of the policy: at least the threshold, or everybody if they are fewer. */
  readonly roots: readonly string[];
  readonly revokers: readonly string[];
  /** Whether a fresh revocation list is required for verification. */
  readonly revocations: "optional" | "required";
  /** 1 for the first policy. Each later version is signed by the roots of the previous one. */
  readonly version: number;
  readonly environment: string;
  /** Milliseconds since 1970 UTC. */
  readonly nowMs: number;
  /** Lifetime of the policy and its keys, in seconds. */
  readonly lifetimeSec: number;
  readonly maxApprovalDays: number;
}

/** Builds a trust policy without checking it for contradictions; `parseTrustPolicy` does that. */
export function buildTrustPolicy(input: TrustInput): TrustPolicy {
  const from = utcSeconds(input.nowMs);
  const until = utcSeconds(input.nowMs + input.lifetimeSec * 1000);
  const names = [...new Set(input.keys.map(({ principal }) => principal))];
  return {
    schema_version: 1,
    version: input.version,
    expires: until,
    principals: names.map((id) => ({
      id,
      display: id,
      keys: input.keys
        .filter(({ principal }) => principal === id)
        .map(({ key }) => ({
          key_id: key.keyId,
          public_key: key.raw.toString("base64"),
          valid_from: from,
          valid_until: until,
        })),
    })),
    roles: {
      root: { threshold: Math.min(input.threshold, input.roots.length), principals: [...input.roots] },
      revoker: [...input.revokers],
      producer: [...input.producers],
      approver: [
        {
          environment: input.environment,
          threshold: input.threshold,
          principals: [...input.approvers],
          ...(input.requireReproduction === 0 ? {} : { require_reproduction: input.requireReproduction }),
        },
      ],
    },
    limits: { max_approval_days: input.maxApprovalDays, clock_skew_sec: clockSkewSec, revocations: input.revocations },
  };
}

/** Warnings about settings that are valid but risky. */
export function trustWarnings({ producers, approvers, threshold }: TrustInput): readonly string[] {
  const independent = approvers.filter((name) => !producers.includes(name));
  const warnings: string[] = [];
  if (threshold < 2) warnings.push("with a threshold of 1, one person alone can approve a bundle");
  if (independent.length < threshold) {
    warnings.push(
      `only ${independent.length} of ${approvers.length} approvers are not producers; producers cannot approve their own bundles`,
    );
  }
  return warnings;
}
