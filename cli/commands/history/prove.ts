import { readInput } from "../../../workbench/read-input.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { commandResult } from "../../result.js";
import type { WorkOf } from "../../command.js";
import type { historyProveShape } from "../../shapes/history.js";
import { proveWithCheckpoint } from "../../../workbench/proofs/history-proof.js";
import { writeNewFile } from "../../../src/artifacts/write-new-file.js";

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

export const historyProve: WorkOf<typeof historyProveShape> = async (context, args) => {
  const given = args.checkpoint === undefined ? null : await readInput(args.checkpoint);
  return withHistory(context, "read", async ({ history }) => {
    const { size, bytes } = proveWithCheckpoint(history, args.entry, given);
    if (args.out !== undefined) {
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
};
