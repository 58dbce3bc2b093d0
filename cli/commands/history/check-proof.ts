import { counted } from "../../../src/documents/number-text.js";
import { readInput } from "../../../src/base/files.js";
import type { WorkOf } from "../../command.js";
import type { historyCheckProofSpec } from "../../specs/history.js";
import { checkProof } from "../../../stages/history/history-proof.js";
import { readPublicKey } from "../../../stages/history/history-checkpoint.js";
import { printable } from "../../../src/base/text.js";

export const historyCheckProof: WorkOf<typeof historyCheckProofSpec> = async (_context, args) => {
  const key = await readPublicKey(args.publicKey);
  const record = args.record === undefined ? null : await readInput(args.record);
  const { entry, size } = checkProof({ bytes: await readInput(args.file), what: args.file, key, record });
  return {
    result: { file: args.file, entry, size, signed_by: key.keyId, record_checked: record !== null },
    fields: [
      ["entry", `${entry.seq} of at least ${size}, proved`],
      ["time", printable(entry.at)],
      ["kind", printable(entry.kind)],
      ["actor", printable(entry.actor)],
      ["record", `${entry.record_sha256}${record === null ? "" : ", the given file"}`],
      ["checkpoint", `over ${counted(size, "entry", "entries")}, signed by key ${key.keyId}`],
    ],
  };
};
