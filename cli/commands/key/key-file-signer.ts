import type { Signer } from "../../../release/signing/signer.js";
import type { CommandContext } from "../../context.js";
import { type PassphraseSources, readNewPassphrase, readPassphrase } from "../../passphrase.js";
import { keyFile } from "./create.js";
import { openPrivateKey, readKeyFile } from "../../../release/signing/key-file.js";
import { firstKey, mayCreateKey } from "../../../release/person-key.js";

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
  if (args.createKey === true && mayCreateKey(context.workspace, file)) {
    return async () => {
      context.note(`${context.here(file)}: new key. Anyone with this file and its passphrase can sign`);
      return firstKey(file, await readNewPassphrase(context, args));
    };
  }
  const { encrypted } = await readKeyFile(file);
  return async () => {
    const passphrase = encrypted ? await readPassphrase(context, args, `Passphrase of ${file}: `) : undefined;
    return openPrivateKey(file, passphrase);
  };
}

/** Opens the key of a person in the workspace when something is signed; a first signature creates it. */
export async function personSigner(
  context: CommandContext,
  person: string,
  sources: PassphraseSources,
): Promise<() => Promise<Signer>> {
  return keyFileSigner(context, { key: person, createKey: true, ...sources });
}
