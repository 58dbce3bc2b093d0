import { counted } from "../../../src/documents/number-text.js";
import { withHistory } from "../../../store/records/with-history.js";
import { withSigning } from "../key/signing-key.js";
import type { WorkOf } from "../../command.js";
import type { historyCheckpointSpec } from "../../specs/history.js";
import { keepCheckpoint, makeCheckpoint } from "../../../stages/history/history-checkpoint.js";
import { writeNewFile } from "../../../src/base/files.js";

export const historyCheckpoint: WorkOf<typeof historyCheckpointSpec> = (context, args) =>
  withSigning(context, args, (signing) =>
    withHistory(context, "write", async (session) => {
      const signer = await signing.open();
      const made = await makeCheckpoint(session.history, signer);
      const { out } = args;
      if (out !== undefined) await writeNewFile(out, made.bytes, 0o644);
      const entry = keepCheckpoint(session, made);
      const { origin, size, root } = made.head;
      const note = made.bytes.toString("utf8");
      return {
        result: { origin, size, root: root.toString("hex"), key_id: signer.keyId, entry, file: out ?? null, note },
        lines:
          out === undefined ? note.trimEnd().split("\n") : [`${out}: signed over ${counted(size, "entry", "entries")}`],
        next: out === undefined ? [] : [context.nextLine("history", "verify", "--checkpoint", out)],
      };
    }),
  );
