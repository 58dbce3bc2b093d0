import type { TrustPolicyWire } from "../../../src/domain/signed.js";
import { defineCommand } from "../../command.js";
import { optional, preset, repeated, required } from "../../options.js";
import { choice, count, duration, name, namedPath, path } from "../../parsers.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";

export const trustCreate = defineCommand({
  name: ["trust", "create"],
  describe: "Write down who may sign what: a version of the trust policy",
  positionals: {},
  options: {
    principal: repeated(namedPath, "a person and a public key; repeat it for every person and key"),
    producer: repeated(name, "a person who may sign manifests"),
    approver: repeated(name, "a person who may approve bundles"),
    threshold: preset(count, "2", "distinct people who must approve, none of them the producer"),
    root: repeated(name, "a person who signs the next version of the policy; the approvers when absent"),
    revoker: repeated(name, "a person who may revoke alone; the approvers when absent"),
    "revocation-list": preset(
      choice("optional", "required"),
      "optional",
      "whether nothing verifies without a fresh revocation list",
    ),
    "policy-version": preset(
      count,
      "1",
      "version of the policy; a later one must be signed by the roots of the one before",
    ),
    environment: preset(name, "production", "environment of the approvals"),
    expires: required(duration, "life of the policy and of its keys"),
    "max-approval-days": preset(count, "90", "longest accepted life of an approval"),
    out: optional(path, "file to write; trust.json of the workspace when absent"),
  },
  examples: [
    [
      "sluice trust create --principal ann=ann.pub.pem --principal bo=bo.pub.pem --principal cy=cy.pub.pem --producer ann --approver bo --approver cy --expires 365d",
      "one producer, two approvers",
    ],
    [
      "sluice trust create --principal ann=ann.pub.pem --producer ann --approver ann --threshold 1 --expires 30d",
      "a trial",
    ],
  ],
  run: async (context, args) => {
    const { createTrustPolicy } = await import("../../../workbench/use-cases/create-trust-policy.js");
    const { principal, producer, approver, threshold, root, revoker, environment, maxApprovalDays } = args;
    const { file, policy, warnings } = await createTrustPolicy(context, {
      principals: principal.map(({ name: person, path: publicKey }) => ({ name: person, publicKey })),
      producers: producer,
      approvers: approver,
      threshold,
      ...(root.length === 0 ? {} : { roots: root }),
      ...(revoker.length === 0 ? {} : { revokers: revoker }),
      revocations: args.revocationList,
      version: args.policyVersion,
      environment,
      lifetimeSec: args.expires,
      maxApprovalDays,
      file: args.out,
    });
    return commandResult({
      schema: "trust-create@1",
      result: { file, policy },
      lines: trustLines(file, policy),
      warnings,
    });
  },
});

/** The policy in words. */
export function trustLines(file: string, policy: TrustPolicyWire): readonly string[] {
  return fields([
    ["file", file],
    ["version", String(policy.version)],
    ["expires", policy.expires],
    ...policy.principals.map(({ id, keys }): readonly [string, string] => [
      "principal",
      `${id}: ${keys.map((key) => key.key_id.slice(0, 12)).join(", ")}`,
    ]),
    ["roots", `${policy.roles.root.threshold} of ${policy.roles.root.principals.join(", ")}`],
    ["revokers", policy.roles.revoker.join(", ") || "nobody"],
    ["revocation list", policy.limits.revocations],
    ["producers", policy.roles.producer.join(", ") || "nobody"],
    ...policy.roles.approver.map((rule): readonly [string, string] => [
      "approvers",
      `${rule.environment}: ${rule.threshold} of ${rule.principals.join(", ") || "nobody"}`,
    ]),
  ]);
}
