import { defineCommand } from "../../command.js";
import { optional, required } from "../../options.js";
import { path } from "../../parsers.js";
import { readInput } from "../../../workbench/read-input.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";

export const historyCheckProof = defineCommand({
  name: ["history", "check-proof"],
  describe: "Check a proof from history prove; needs the proof and the public key, not the history",
  positionals: { file: required(path, "proof file (.tlog-proof)") },
  options: {
    "public-key": required(path, "public key (.pub.pem) that must have signed every checkpoint"),
    record: optional(path, "the record itself; its digest must be that of the entry"),
  },
  examples: [
    ["sluice history check-proof entry-12.tlog-proof --public-key audit.pub.pem", "shows what was proved"],
    ["sluice history check-proof 12.tlog-proof --public-key audit.pub.pem --record approval.json", "and the record"],
  ],
  run: async (_context, args) => {
    const { checkProof } = await import("../../../workbench/proofs/history-proof.js");
    const { readPublicKey } = await import("../../../workbench/proofs/history-checkpoint.js");
    const key = await readPublicKey(args.publicKey);
    const record = args.record === undefined ? null : await readInput(args.record);
    const { entry, size } = checkProof({ bytes: await readInput(args.file), what: args.file, key, record });
    const { printable } = await import("../../../src/artifacts/printable.js");
    return commandResult({
      schema: "history-check-proof@1",
      result: { file: args.file, entry, size, signed_by: key.keyId, record_checked: record !== null },
      lines: fields([
        ["entry", `${entry.seq} of at least ${size}, proved`],
        ["time", printable(entry.at)],
        ["kind", printable(entry.kind)],
        ["actor", printable(entry.actor)],
        ["record", `${entry.record_sha256}${record === null ? "" : ", the file that was given"}`],
        ["checkpoint", `over ${size} entries, signed by key ${key.keyId}`],
      ]),
    });
  },
});
