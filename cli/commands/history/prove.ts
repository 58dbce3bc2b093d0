import { defineCommand } from "../../command.js";
import { optional, required } from "../../options.js";
import { count, path } from "../../parsers.js";
import { readInput } from "../../../workbench/read-input.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { commandResult } from "../../result.js";

/** Result of `history prove`. */
export interface WrittenProof {
  readonly entry: number;
  /** Entries that the checkpoint covers. */
  readonly size: number;
  /** Null when it was printed. */
  readonly file: string | null;
  /** The proof itself, with the checkpoint. */
  readonly proof: string;
}

export const historyProve = defineCommand({
  name: ["history", "prove"],
  describe: "Prove that a signed checkpoint covers an entry; the proof needs no history to be checked",
  positionals: { entry: required(count, "number of the entry, as history log shows it") },
  options: {
    checkpoint: optional(path, "signed checkpoint; the last one that the history keeps when absent"),
    out: optional(path, "file to write; printed when absent"),
  },
  examples: [
    ["sluice history prove 12 --out entry-12.tlog-proof", "with the last checkpoint that was signed"],
    ["sluice history prove 12 --checkpoint 2026-03-01.checkpoint", "with a checkpoint from outside"],
  ],
  run: async (context, args) => {
    const { proveWithCheckpoint } = await import("../../../workbench/proofs/history-proof.js");
    const given = args.checkpoint === undefined ? null : await readInput(args.checkpoint);
    return withHistory(context, "read", async ({ history }) => {
      const { size, bytes } = proveWithCheckpoint(history, args.entry, given);
      if (args.out !== undefined) {
        const { writeNewFile } = await import("../../../src/artifacts/write-new-file.js");
        await writeNewFile(args.out, bytes, 0o644);
      }
      const proof = bytes.toString("utf8");
      const result: WrittenProof = { entry: args.entry, size, file: args.out ?? null, proof };
      return commandResult({
        schema: "history-prove@1",
        result,
        lines:
          args.out === undefined
            ? proof.trimEnd().split("\n")
            : [`${args.out}: entry ${args.entry} is among the first ${size} entries`],
      });
    });
  },
});
