import { counted } from "../../../src/documents/number-text.js";
import { signCheckpoint } from "../../../stages/history.js";
import { withSigning } from "../key/signing-key.js";
import type { WorkOf } from "../../command.js";
import type { historyCheckpointSpec } from "../../specs/history.js";

export const historyCheckpoint: WorkOf<typeof historyCheckpointSpec> = (context, args, signing) =>
  withSigning(context, signing, async ({ open }) => {
    const { out } = args;
    const { head, bytes, keyId, entry } = await signCheckpoint(context, open, out);
    const { origin, size, root } = head;
    const note = bytes.toString("utf8");
    return {
      result: { origin, size, root: root.toString("hex"), key_id: keyId, entry, file: out ?? null, note },
      lines:
        out === undefined
          ? note.trimEnd().split("\n")
          : [`${context.here(out)}: signed over ${counted(size, "entry", "entries")}`],
      next: out === undefined ? [] : [context.next("history", "verify", "--checkpoint", out)],
    };
  });
