import { toSnake } from "../../../src/domain/camel.js";
import type { TrustPolicyWire } from "../../../src/domain/signed.js";
import { defineCommand } from "../../command.js";
import { optional } from "../../options.js";
import { path } from "../../parsers.js";
import { commandResult } from "../../result.js";
import { readTrust } from "../../../workbench/release/read-trust.js";
import { trustLines } from "./create.js";

export const trustShow = defineCommand({
  name: ["trust", "show"],
  describe: "Show who may sign what, and the digest that a deployment pins",
  positionals: {},
  options: { trust: optional(path, "trust policy; trust.json of the workspace when absent") },
  examples: [
    ["sluice trust show", "the policy of the workspace"],
    ["sluice trust show --trust /etc/sluice/trust.json --json", "that of a server, as data"],
  ],
  run: async (context, args) => {
    const { sha256Hex } = await import("../../../src/digest/sha256.js");
    const { parseTrustPolicy } = await import("../../../src/artifacts/trust-policy.js");
    const bytes = await readTrust(context, args.trust);
    const { policy } = parseTrustPolicy(bytes);
    const file = args.trust ?? context.workspace.trust;
    const digest = sha256Hex(bytes);
    const wire = toSnake<TrustPolicyWire>(policy);
    return commandResult({
      schema: "trust-show@1",
      result: { file, sha256: digest, policy: wire },
      lines: [...trustLines(file, wire), `sha256  ${digest}`],
    });
  },
});
