import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SluiceError } from "../../../src/errors/error.js";
import { readNewPassphrase } from "../../passphrase.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import type { Workspace } from "../../../workbench/workspace.js";
import type { WorkOf } from "../../command.js";
import type { keyCreateShape } from "../../shapes/key.js";
import { createKeyFile } from "../../../src/artifacts/sign/key-file.js";
import { makeFolders } from "../../../workbench/make-folders.js";

/** Result of `key create`. */
export interface CreatedKeyFiles {
  readonly key_id: string;
  readonly private_key: string;
  readonly public_key: string;
}

export const keyCreate: WorkOf<typeof keyCreateShape> = async (context, args) => {
  const file = keyFile(context.workspace, args.name);
  await refuseExisting(file);
  const passphrase = await readNewPassphrase(context, args);
  await makeFolders(dirname(file), { mode: 0o700 });
  const created = await createKeyFile(file, passphrase);
  const result: CreatedKeyFiles = {
    key_id: created.keyId,
    private_key: created.privateKeyPath,
    public_key: created.publicKeyPath,
  };
  return commandResult({
    schema: "key-create@1",
    result,
    lines: keyLines(result),
    next: [context.nextLine("key", "show", created.publicKeyPath)],
  });
};

/** `alice` is `keys/alice.pem` of the workspace; anything with a folder or the ending .pem is a path of its own. */
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

/** The result in words. */
export function keyLines(key: CreatedKeyFiles): readonly string[] {
  return fields([
    ["key id", key.key_id],
    ["private key", `${key.private_key} (encrypted; keep it private)`],
    ["public key", `${key.public_key} (give it to the author of the trust policy)`],
  ]);
}
