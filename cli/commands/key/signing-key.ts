import type { Signer } from "../../../src/artifacts/sign/signer.js";
import type { CommandContext } from "../../context.js";
import { required } from "../../options.js";
import { path } from "../../parsers.js";
import { type PassphraseSources, passphraseOptions, readPassphrase } from "../../passphrase.js";
import { keyFile } from "./create.js";

/** Options of every command that signs. */
export const signingOptions = {
  key: required(path, "private key: its name in the workspace, or a path that ends in .pem"),
  ...passphraseOptions,
} as const;

/**
 * Reads a key file now and returns how to open it, so that nobody is asked for a passphrase in vain.
 * @throws {SluiceError} FILE_NOT_FOUND, KEY_FILE_MODE, KEY_INVALID; on opening PASSPHRASE_MISSING, PASSPHRASE_WRONG
 */
export async function findSigningKey(
  context: CommandContext,
  args: PassphraseSources & { readonly key: string },
): Promise<() => Promise<Signer>> {
  const { openPrivateKey, readKeyFile } = await import("../../../src/artifacts/sign/key-file.js");
  const file = keyFile(context.workspace, args.key);
  const { encrypted } = await readKeyFile(file);
  return async () => {
    const passphrase = encrypted ? await readPassphrase(context, args, `Passphrase of ${file}: `) : undefined;
    return openPrivateKey(file, passphrase);
  };
}
