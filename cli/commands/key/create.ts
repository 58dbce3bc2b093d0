import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SluiceError } from "../../../src/base/error.js";
import { readNewPassphrase } from "../../passphrase.js";
import type { Workspace } from "../../../store/workspace.js";
import type { WorkOf } from "../../command.js";
import type { keyCreateSpec } from "../../specs/key.js";
import { createKeyFile } from "../../../release/signing/key-file.js";
import { makeFolders } from "../../../store/make-folders.js";

export const keyCreate: WorkOf<typeof keyCreateSpec> = async (context, args) => {
  const file = keyFile(context.workspace, args.name);
  await refuseExisting(file);
  const passphrase = await readNewPassphrase(context, args);
  await makeFolders(dirname(file), { mode: 0o700 });
  const { keyId, privateKeyPath, publicKeyPath } = await createKeyFile(file, passphrase);
  return {
    result: { key_id: keyId, private_key: privateKeyPath, public_key: publicKeyPath },
    fields: [
      ["key id", keyId],
      ["private key", `${privateKeyPath} (encrypted; keep it to yourself)`],
      ["public key", `${publicKeyPath} (give it to whoever writes the trust policy)`],
    ],
    next: [context.nextLine("key", "show", publicKeyPath)],
  };
};

/** `alice` is `keys/alice.pem` of the workspace; anything with a folder or the ending .pem is a path. */
export function keyFile(workspace: Workspace, name: string): string {
  const isPath = name.includes("/") || name.includes("\\") || name.endsWith(".pem");
  return isPath ? name : join(workspace.keys, `${name}.pem`);
}

/** Before anybody is asked for a passphrase. */
async function refuseExisting(file: string): Promise<void> {
  const exists = await lstat(file).then(
    () => true,
    () => false,
  );
  if (!exists) return;
  throw new SluiceError("FILE_EXISTS", `${file}: exists already and is not overwritten`, {
    hint: "Choose another name for the new key.",
  });
}
