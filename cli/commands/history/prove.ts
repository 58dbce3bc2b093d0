import { counted } from "../../../src/documents/number-text.js";
import { readInput, writeNewFile } from "../../../src/base/files.js";
import { withHistory } from "../../../store/records/with-history.js";
import type { WorkOf } from "../../command.js";
import type { historyProveSpec } from "../../specs/history.js";
import { proveWithCheckpoint } from "../../../stages/history/history-proof.js";

export const historyProve: WorkOf<typeof historyProveSpec> = async (context, { checkpoint, entry, out }) => {
  const given = checkpoint === undefined ? null : await readInput(checkpoint);
  return withHistory(context, "read", async ({ history }) => {
    const { size, bytes } = proveWithCheckpoint(history, entry, given);
    if (out !== undefined) await writeNewFile(out, bytes, 0o644);
    const proof = bytes.toString("utf8");
    const written = `${out}: entry ${entry} is among the first ${counted(size, "entry", "entries")}`;
    return {
      result: { entry, size, file: out ?? null, proof },
      lines: out === undefined ? proof.trimEnd().split("\n") : [written],
    };
  });
};
