import { readInput } from "../../../workbench/read-input.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { readTrust } from "../../../workbench/release/read-trust.js";
import type { WorkOf } from "../../command.js";
import type { trustUpdateShape } from "../../shapes/trust.js";
import { openTrustUpdate } from "../../../workbench/release/trust-chain.js";
import { parseTrustPolicy, requireCurrentTrust } from "../../../src/artifacts/trust-policy.js";
import { replaceFile } from "../../../src/artifacts/write-new-file.js";
import { keepSigned } from "../../../workbench/release/keep-signed.js";

export const trustUpdate: WorkOf<typeof trustUpdateShape> = async (context, args) => {
  const current = parseTrustPolicy(await readTrust(context, args.trust));
  const now = new Date(context.clock());
  const envelopeBytes = await readInput(args.file);
  const { policyBytes, trust } = openTrustUpdate(envelopeBytes, current, now);
  requireCurrentTrust(trust, now);
  const file = args.trust ?? context.workspace.trust;
  await replaceFile(file, policyBytes, 0o644);
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
};
