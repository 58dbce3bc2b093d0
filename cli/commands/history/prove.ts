import { counted } from "../../../src/documents/number-text.js";
import { proveEntry } from "../../../stages/history.js";
import type { WorkOf } from "../../command.js";
import type { historyProveSpec } from "../../specs/history.js";

export const historyProve: WorkOf<typeof historyProveSpec> = async (context, { checkpoint, entry, out }) => {
  const { size, bytes } = await proveEntry(context, entry, { checkpoint, out });
  const proof = bytes.toString("utf8");
  const written = `${context.here(out ?? "")}: entry ${entry} is among the first ${counted(size, "entry", "entries")}`;
  return {
    result: { entry, size, file: out ?? null, proof },
    lines: out === undefined ? proof.trimEnd().split("\n") : [written],
  };
};
