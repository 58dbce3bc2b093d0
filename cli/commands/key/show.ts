import type { WorkOf } from "../../command.js";
import type { keyShowSpec } from "../../specs/key.js";
import { readPublicKey } from "../../../stages/keys.js";

export const keyShow: WorkOf<typeof keyShowSpec> = async (_context, { file }) => {
  const key = await readPublicKey(file);
  const publicKey = key.raw.toString("base64");
  return {
    schema: "key@1",
    result: { file, key_id: key.keyId, public_key: publicKey },
    fields: [
      ["key id", key.keyId],
      ["public key", publicKey],
    ],
  };
};
