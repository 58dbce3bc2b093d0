import type { TrustPolicyWire } from "../../../src/domain/signed.js";
import { defineCommand } from "../../command.js";
import { optional, preset, repeated, required } from "../../options.js";
import { choice, count, duration, name, namedPath, path } from "../../parsers.js";
import { readInput } from "../../../workbench/read-input.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { createWorkspace } from "../../../workbench/workspace.js";
import { buildTrustPolicy, type TrustInput, trustWarnings } from "../../../workbench/release/build-policy.js";

const fileMode = 0o644;

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
    const { canonicalBytes } = await import("../../../src/digest/canonical-json.js");
    const { publicKeyFromFile } = await import("../../../src/artifacts/public-key.js");
    const { parseTrustPolicy } = await import("../../../src/artifacts/trust-policy.js");
    const { writeNewFile } = await import("../../../src/artifacts/write-new-file.js");
    const keys = [];
    for (const { name: principal, path: file } of args.principal) {
      keys.push({ principal, key: publicKeyFromFile((await readInput(file)).toString("utf8"), file) });
    }
    const input: TrustInput = {
      keys,
      producers: args.producer,
      approvers: args.approver,
      threshold: args.threshold,
      roots: args.root.length > 0 ? args.root : args.approver,
      revokers: args.revoker.length > 0 ? args.revoker : args.approver,
      revocations: args.revocationList,
      version: args.policyVersion,
      environment: args.environment,
      nowMs: context.clock(),
      lifetimeSec: args.expires,
      maxApprovalDays: args.maxApprovalDays,
    };
    const policy = buildTrustPolicy(input);
    const bytes = canonicalBytes(policy);
    parseTrustPolicy(bytes);
    if (args.out === undefined) await createWorkspace(context.workspace);
    const file = args.out ?? context.workspace.trust;
    await writeNewFile(file, bytes, fileMode);
    const { keepSigned } = await import("../../../workbench/release/keep-signed.js");
    const kept = await keepSigned(context, { kind: "trust", actor: context.actor, bytes });
    return commandResult({
      schema: "trust-create@1",
      result: { file, policy },
      lines: trustLines(file, policy),
      warnings: [...trustWarnings(input), ...kept.warnings],
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
