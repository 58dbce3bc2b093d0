import { readInput } from "../../../workbench/read-input.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { keyShowShape } from "../../shapes/key.js";
import { publicKeyFromFile } from "../../../src/artifacts/public-key.js";

export const keyShow: WorkOf<typeof keyShowShape> = async (_context, { file }) => {
  const key = publicKeyFromFile((await readInput(file)).toString("utf8"), file);
  const publicKey = key.raw.toString("base64");
  return commandResult({
    schema: "key@1",
    result: { file, key_id: key.keyId, public_key: publicKey },
    lines: fields([
      ["key id", key.keyId],
      ["public key", publicKey],
    ]),
  });
};
