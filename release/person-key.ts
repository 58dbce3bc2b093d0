import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { createKeyFile, openPrivateKey, publicKeyPath } from "./signing/key-file.js";
import type { Signer } from "./signing/sign-statement.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import type { Workspace } from "../store/workspace.js";
import { personKeyFile } from "./draft-trust.js";
import { makeFolders } from "../store/make-folders.js";

/**
 * Whether a person's first signature may create this key. Not with an active trust policy, which already names the
 * valid keys: their private halves may be stored elsewhere.
 */
export function mayCreateKey(workspace: Workspace, file: string): boolean {
  return !existsSync(workspace.trust) && !existsSync(file) && !existsSync(publicKeyPath(file));
}

/** Creates and opens a key for somebody who signs for the first time. @throws {SluiceError} those of `createKeyFile` */
export async function firstKey(file: string, passphrase: string): Promise<Signer> {
  await makeFolders(dirname(file), { mode: 0o700 });
  await createKeyFile(file, passphrase);
  return openPrivateKey(file, passphrase);
}

export interface PersonKeyOptions {
  readonly person: string;
  /** Not empty. Anybody who knows it can sign as this person. */
  readonly passphrase: string;
}

/**
 * Opens the key of a person in the workspace, `keys/NAME.pem`. Before there is a trust policy, a person's first signature
 * creates the key, as `run --release` and `approve` do.
 *
 * @example const signer = () => openPersonKey(workbench, { person: "ann", passphrase });
 * @throws {SluiceError} FILE_NOT_FOUND  there is no key and none may be created; KEY_FILE_MODE, KEY_INVALID,
 *   PASSPHRASE_MISSING, PASSPHRASE_WRONG
 */
export async function openPersonKey(
  { workspace }: Pick<WorkbenchContext, "workspace">,
  { person, passphrase }: PersonKeyOptions,
): Promise<Signer> {
  const file = personKeyFile(workspace, person);
  return mayCreateKey(workspace, file) ? firstKey(file, passphrase) : openPrivateKey(file, passphrase);
}
