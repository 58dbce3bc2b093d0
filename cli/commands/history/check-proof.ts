import { counted } from "../../../src/documents/number-text.js";
import { printable } from "../../../src/base/text.js";
import { checkProof } from "../../../stages/history.js";
import type { WorkOf } from "../../command.js";
import type { historyCheckProofSpec } from "../../specs/history.js";

export const historyCheckProof: WorkOf<typeof historyCheckProofSpec> = async (_context, args) => {
  const { entry, size, keyId } = await checkProof(args);
  const isRecordChecked = args.record !== undefined;
  return {
    result: { file: args.file, entry, size, signed_by: keyId, record_checked: isRecordChecked },
    fields: [
      ["entry", `${entry.seq} of at least ${size}, proved`],
      ["time", printable(entry.at)],
      ["kind", printable(entry.kind)],
      ["actor", printable(entry.actor)],
      ["record", `${entry.record_sha256}${isRecordChecked ? ", the given file" : ""}`],
      ["checkpoint", `over ${counted(size, "entry", "entries")}, signed by key ${keyId}`],
    ],
  };
};
