import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Signer } from "../../../src/artifacts/sign/signer.js";
import type { CommandContext } from "../../context.js";
import { type PassphraseSources, readNewPassphrase, readPassphrase } from "../../passphrase.js";
import { keyFile } from "./create.js";
import { createKeyFile, openPrivateKey, publicKeyPath, readKeyFile } from "../../../src/artifacts/sign/key-file.js";

/** A key file, and where its passphrase comes from. */
export interface KeyFileChoice extends PassphraseSources {
  /** Its name in the workspace, or a path. */
  readonly key: string;
  /** Whether a key that does not exist is created; its passphrase is then a new one. */
  readonly createKey?: boolean;
}

/** Reads the key file now and opens it later, so that nobody is asked for a passphrase in vain. */
export async function keyFileSigner(context: CommandContext, args: KeyFileChoice): Promise<() => Promise<Signer>> {
  const file = keyFile(context.workspace, args.key);
  if (args.createKey === true && (await isFree(file))) return () => newKeySigner(context, args, file);
  const { encrypted } = await readKeyFile(file);
  return async () => {
    const passphrase = encrypted ? await readPassphrase(context, args, `Passphrase of ${file}: `) : undefined;
    return openPrivateKey(file, passphrase);
  };
}

/** Whether neither half of a key is there: whoever has the public half elsewhere keeps the private one there. */
async function isFree(file: string): Promise<boolean> {
  return !existsSync(file) && !existsSync(publicKeyPath(file));
}

/** Creates the key of somebody who signs for the first time, and opens it. */
async function newKeySigner(context: CommandContext, args: PassphraseSources, file: string): Promise<Signer> {
  context.note(`${context.here(file)}: a new key, of whoever knows its passphrase`);
  const passphrase = await readNewPassphrase(context, args);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await createKeyFile(file, passphrase);
  return openPrivateKey(file, passphrase);
}

/** Opens the key of a person in the workspace when something is signed; a first signature creates it. */
export async function personSigner(
  context: CommandContext,
  person: string,
  sources: PassphraseSources,
): Promise<() => Promise<Signer>> {
  return keyFileSigner(context, { key: person, createKey: true, ...sources });
}
