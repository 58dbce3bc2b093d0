import { withHistory } from "../../../workbench/records/with-history.js";
import { commandResult } from "../../result.js";
import { withSigning } from "../key/signing-key.js";
import type { WorkOf } from "../../command.js";
import type { historyCheckpointShape } from "../../shapes/history.js";
import { keepCheckpoint, makeCheckpoint } from "../../../workbench/proofs/history-checkpoint.js";
import { writeNewFile } from "../../../src/artifacts/write-new-file.js";

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

export const historyCheckpoint: WorkOf<typeof historyCheckpointShape> = (context, args) =>
  withSigning(context, args, (signing) =>
    withHistory(context, "write", async (stage) => {
      const signer = await signing.open();
      const made = await makeCheckpoint(stage.history, signer);
      if (args.out !== undefined) {
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
  );
