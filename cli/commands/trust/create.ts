import { neededOf } from "../../../src/base/text.js";
import type { TrustPolicy } from "../../../src/documents/signed.js";
import { fields } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { trustCreateSpec } from "../../specs/trust.js";
import { createTrustPolicy } from "../../../stages/trust.js";

export const trustCreate: WorkOf<typeof trustCreateSpec> = async (context, args) => {
  const { file, policy, warnings } = await createTrustPolicy(context, args);
  return {
    result: { file, policy },
    lines: trustLines(context.here(file), policy),
    warnings,
  };
};

export function trustLines(file: string, policy: TrustPolicy): readonly string[] {
  return fields([
    ["file", file],
    ["version", String(policy.version)],
    ["expires", policy.expires],
    ...policy.principals.map(({ id, keys }): readonly [string, string] => [
      "principal",
      `${id}: ${keys.map((key) => key.key_id).join(", ")}`,
    ]),
    ["roots", neededOf(policy.roles.root.principals, policy.roles.root.threshold)],
    ["revokers", policy.roles.revoker.join(", ") || "nobody"],
    ["revocation list", policy.limits.revocations],
    ["producers", policy.roles.producer.join(", ") || "nobody"],
    ...policy.roles.approver.map((rule): readonly [string, string] => [
      "approvers",
      `${rule.environment}: ${rule.principals.length === 0 ? "nobody" : neededOf(rule.principals, rule.threshold)}${reproductionsText(rule.require_reproduction)}`,
    ]),
  ]);
}

const reproductionsText = (required = 0): string =>
  required === 0 ? "" : `; ${required} of them must reproduce the claim`;
