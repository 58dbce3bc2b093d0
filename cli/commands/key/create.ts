import { createKey } from "../../../stages/keys.js";
import { readNewPassphrase } from "../../passphrase.js";
import type { WorkOf } from "../../command.js";
import type { keyCreateSpec } from "../../specs/key.js";

export const keyCreate: WorkOf<typeof keyCreateSpec> = async (context, args) => {
  const { keyId, privateKeyPath, publicKeyPath } = await createKey(context, args.name, () =>
    readNewPassphrase(context, args),
  );
  return {
    result: { key_id: keyId, private_key: privateKeyPath, public_key: publicKeyPath },
    fields: [
      ["key id", keyId],
      ["private key", `${context.here(privateKeyPath)} (encrypted; keep it to yourself)`],
      ["public key", `${context.here(publicKeyPath)} (give it to whoever writes the trust policy)`],
    ],
    next: [context.next("key", "show", publicKeyPath)],
  };
};
