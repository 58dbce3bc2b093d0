import { SluiceError } from "../../../src/errors/error.js";
import { readInput } from "../../../workbench/read-input.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { historyVerifyShape } from "../../shapes/history.js";
import { readPublicKey, verifyAgainst, verifyWhole } from "../../../workbench/proofs/history-checkpoint.js";

export const historyVerify: WorkOf<typeof historyVerifyShape> = async (context, args) => {
  if (args.publicKey !== undefined && args.checkpoint.length === 0) {
    throw new SluiceError("USAGE", "--public-key needs a --checkpoint to verify", {
      hint: "Add --checkpoint FILE, or leave --public-key out.",
    });
  }
  const key = args.publicKey === undefined ? null : await readPublicKey(args.publicKey);
  const files = await Promise.all(args.checkpoint.map(async (file) => ({ file, bytes: await readInput(file) })));
  return withHistory(context, "read", async ({ history }) => {
    const { entries, root, unusedBlobs, unusedPages } = verifyWhole(history);
    const checkpoints = files.map(({ file, bytes }) => {
      const { size } = verifyAgainst(history, bytes, file, key);
      return { file, size, signed_by: key === null ? null : key.keyId };
    });
    return commandResult({
      schema: "history-verify@1",
      result: {
        path: history.path,
        entries,
        root,
        checkpoints,
        unused_blobs: unusedBlobs,
        unused_pages: unusedPages,
      },
      lines: fields([
        ["history", history.path],
        ["entries", `${entries}, unchanged`],
        ["root", root],
        ...checkpoints.map(({ file, size, signed_by }): [string, string] => {
          const signature = signed_by === null ? "signature not checked" : `signed by key ${signed_by}`;
          return ["checkpoint", `${file}: covers the first ${size} entries; ${signature}`];
        }),
      ]),
      warnings: [
        ...(key === null && files.length > 0 ? ["signatures were not checked; add --public-key FILE"] : []),
        ...(unusedBlobs === 0
          ? []
          : [`${unusedBlobs} blobs belong to no entry and are covered by no hash; remove them with history gc`]),
        ...(unusedPages.length === 0
          ? []
          : [`${unusedPages.length} pages of the file are unused; they are harmless and contain no entry`]),
      ],
      next: unusedBlobs === 0 ? [] : [context.nextLine("history", "gc", "--delete")],
    });
  });
};
