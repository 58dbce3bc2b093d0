import { counted } from "../../../src/documents/number-text.js";
import { SluiceError } from "../../../src/base/error.js";
import type { WorkOf } from "../../command.js";
import type { historyVerifySpec } from "../../specs/history.js";
import { verifyWorkspace } from "../../../stages/history.js";

export const historyVerify: WorkOf<typeof historyVerifySpec> = async (context, args) => {
  const { checkpoint: files, publicKey } = args;
  if (publicKey !== undefined && files.length === 0) {
    throw new SluiceError("USAGE", "--public-key needs a --checkpoint to verify", {
      hint: "Add --checkpoint FILE, or leave --public-key out.",
    });
  }
  const verified = await verifyWorkspace(context, args);
  const { path, entries, root, checkpoints, unused_blobs, unused_pages } = verified;
  return {
    result: { path, entries, root, checkpoints, unused_blobs, unused_pages },
    fields: [
      ["history", context.here(path)],
      ["entries", `${entries}, unchanged`],
      ["root", root],
      ...checkpoints.map(({ file, size, signed_by: signedBy }) => {
        const signature = signedBy === null ? "signature not checked" : `signed by key ${signedBy}`;
        return [
          "checkpoint",
          `${context.here(file)}: covers the first ${counted(size, "entry", "entries")}; ${signature}`,
        ] as const;
      }),
    ],
    warnings: [
      ...(publicKey === undefined && files.length > 0 ? ["signatures were not checked; add --public-key FILE"] : []),
      ...(unused_blobs === 0
        ? []
        : [
            `${counted(unused_blobs, "blob belongs to no entry and is covered by no hash; remove it", "blobs belong to no entry and are covered by no hash; remove them")} with history gc`,
          ]),
      ...(unused_pages.length === 0
        ? []
        : [`${counted(unused_pages.length, "unused page")} in the file: harmless, used by no entry`]),
    ],
    next: unused_blobs === 0 ? [] : [context.next("history", "gc", "--delete")],
  };
};
