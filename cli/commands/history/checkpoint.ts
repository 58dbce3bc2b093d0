import { defineCommand } from "../../command.js";
import { optional } from "../../options.js";
import { path } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { commandResult } from "../../result.js";
import { signingOptions, withSigning } from "../key/signing-key.js";

/** Result of `history checkpoint`. */
export interface WrittenCheckpoint {
  readonly origin: string;
  /** Entries that it covers. */
  readonly size: number;
  /** Hex. */
  readonly root: string;
  readonly key_id: string;
  /** Number of the entry that keeps it. */
  readonly entry: number;
  /** Null when it was printed. */
  readonly file: string | null;
  /** The signed note itself. */
  readonly note: string;
}

export const historyCheckpoint = defineCommand({
  name: ["history", "checkpoint"],
  describe: "Verify the history, then sign its size and Merkle root; keep the note elsewhere",
  positionals: {},
  options: { ...signingOptions, out: optional(path, "file to write; printed when absent") },
  examples: [
    ["sluice history checkpoint --key audit --out /mnt/elsewhere/2026-03-01.checkpoint", "a file on another disk"],
    ["sluice history checkpoint --key audit --passphrase-file audit.pass", "printed, for a pipe to another machine"],
  ],
  run: (context, args) =>
    withSigning(context, args, (signing) =>
      withHistory(context, "write", async (stage) => {
        const { keepCheckpoint, makeCheckpoint } = await import("../../../workbench/proofs/history-checkpoint.js");
        const signer = await signing.open();
        const made = await makeCheckpoint(stage.history, signer);
        if (args.out !== undefined) {
          const { writeNewFile } = await import("../../../src/artifacts/write-new-file.js");
          await writeNewFile(args.out, made.bytes, 0o644);
        }
        const entry = keepCheckpoint(stage, made);
        const { origin, size, root } = made.head;
        const result: WrittenCheckpoint = {
          origin,
          size,
          root: root.toString("hex"),
          key_id: signer.keyId,
          entry,
          file: args.out ?? null,
          note: made.bytes.toString("utf8"),
        };
        return commandResult({
          schema: "history-checkpoint@1",
          result,
          lines:
            args.out === undefined ? result.note.trimEnd().split("\n") : [`${args.out}: signed over ${size} entries`],
          next: args.out === undefined ? [] : [context.nextLine("history", "verify", "--checkpoint", args.out)],
        });
      }),
    ),
});
