import { counted } from "../../../src/domain/number-text.js";
import { readInput } from "../../../workbench/read-input.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import type { WorkOf } from "../../command.js";
import type { historyProveShape } from "../../shapes/history.js";
import { proveWithCheckpoint } from "../../../workbench/proofs/history-proof.js";
import { writeNewFile } from "../../../src/artifacts/write-new-file.js";

export const historyProve: WorkOf<typeof historyProveShape> = async (context, { checkpoint, entry, out }) => {
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
