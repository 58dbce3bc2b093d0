import { defineCommand } from "../../command.js";
import { optional, required } from "../../options.js";
import { path } from "../../parsers.js";
import { readInput } from "../../../workbench/read-input.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { readTrust } from "../../../workbench/release/read-trust.js";

export const trustUpdate = defineCommand({
  name: ["trust", "update"],
  describe: "Put the next version of the trust policy in force, signed by the roots of the old and of the new one",
  positionals: { file: required(path, "envelope of the next version") },
  options: { trust: optional(path, "trust policy in force; trust.json of the workspace when absent") },
  examples: [
    ["sluice trust update trust-2.json.dsse.json", "the policy of the workspace"],
    [
      "sluice trust update trust-2.json.dsse.json --trust /etc/sluice/trust.json",
      "that of a server, which then restarts",
    ],
  ],
  run: async (context, args) => {
    const { openTrustUpdate } = await import("../../../src/artifacts/trust-chain.js");
    const { parseTrustPolicy, requireCurrentTrust } = await import("../../../src/artifacts/trust-policy.js");
    const { replaceFile } = await import("../../../src/artifacts/write-new-file.js");
    const current = parseTrustPolicy(await readTrust(context, args.trust));
    const now = new Date(context.clock());
    const envelopeBytes = await readInput(args.file);
    const { policyBytes, trust } = openTrustUpdate(envelopeBytes, current, now);
    requireCurrentTrust(trust, now);
    const file = args.trust ?? context.workspace.trust;
    await replaceFile(file, policyBytes, 0o644);
    const { keepSigned } = await import("../../../workbench/release/keep-signed.js");
    const kept = await keepSigned(context, { kind: "trust", actor: context.actor, bytes: envelopeBytes });
    return commandResult({
      schema: "trust-update@1",
      result: { file, from: current.policy.version, to: trust.policy.version, entry: kept.entry },
      lines: fields([
        ["file", file],
        ["version", `${current.policy.version} replaced by ${trust.policy.version}`],
        ["expires", trust.policy.expires],
      ]),
      warnings: kept.warnings,
      next: [context.nextLine("trust", "show", ...(args.trust === undefined ? [] : ["--trust", args.trust]))],
    });
  },
});
