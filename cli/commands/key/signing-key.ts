import type { ValuesOf } from "../../../src/base/options.js";
import type { signingOptions } from "../../specs/signing-options.js";
import type { Signer } from "../../../release/signing/sign-statement.js";
import { SluiceError } from "../../../src/base/error.js";
import {
  type AwaitedSignature,
  keyFileSigner,
  type KeyFileChoice,
  type Passphrases,
  type Signing,
  withSigner,
} from "../../../stages/keys.js";
import type { CommandContext } from "../../context.js";
import { type PassphraseSources, readNewPassphrase, readPassphrase } from "../../passphrase.js";
import type { ResultParts } from "../../result.js";
import { shellLine } from "../../../src/base/invocation.js";

type SigningArguments = ValuesOf<typeof signingOptions> & Pick<KeyFileChoice, "createKey">;

/**
 * Runs a command that signs, or prints the bytes to be signed elsewhere. @throws {SluiceError} USAGE, and the errors of
 * `withSigner`
 */
export async function withSigning(
  context: CommandContext,
  args: SigningArguments,
  run: (signing: Signing) => Promise<ResultParts>,
): Promise<ResultParts> {
  requireOneSigner(args);
  const { signedAt, ...choice } = args;
  const atMs = signedAt === undefined ? undefined : Date.parse(signedAt);
  const signed = await withSigner(context, { ...choice, atMs }, passphrasesOf(context, args), run);
  return signed.awaited === null ? signed.result : awaitedParts(signed.awaited);
}

/** Signs with the key of a person in the workspace. The key is opened on use and created by the first signature. */
export async function personSigner(
  context: CommandContext,
  person: string,
  sources: PassphraseSources,
): Promise<() => Promise<Signer>> {
  return keyFileSigner(context, { key: person, createKey: true }, passphrasesOf(context, sources));
}

const passphrasesOf = (context: CommandContext, sources: PassphraseSources): Passphrases => ({
  of: (file) => readPassphrase(context, sources, `Passphrase of ${file}: `),
  forNew: async (file) => {
    const passphrase = await readNewPassphrase(context, sources);
    context.note(`${context.here(file)}: new key. Anyone with this file and its passphrase can sign`);
    return passphrase;
  },
});

function requireOneSigner(args: SigningArguments): void {
  const given = [
    args.sshAgent ? "--ssh-agent" : undefined,
    args.signerCommand === undefined ? undefined : "--signer-command",
    args.detach === undefined ? undefined : "--detach",
    args.attach === undefined ? undefined : "--attach",
  ].filter((name) => name !== undefined);
  if (given.length > 1) {
    throw new SluiceError("USAGE", `${given.join(" and ")} cannot be combined`, { hint: `Keep ${given[0]} only.` });
  }
  if (args.signedAt === undefined || args.attach !== undefined) return;
  throw new SluiceError("USAGE", "--signed-at needs --attach", { hint: "Leave out --signed-at." });
}

/** The file with the bytes to be signed elsewhere. */
function awaitedParts({ file, sha256, keyId, signedAt }: AwaitedSignature): ResultParts {
  const openssl = ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", "KEY.pem", "-in", file, "-out", `${file}.sig`];
  return {
    schema: "signature-awaited@1",
    result: { file, sha256, key_id: keyId, signed_at: signedAt },
    fields: [
      ["bytes to sign", file],
      ["sha256", sha256],
      ["with key", keyId],
      ["sign them", shellLine(openssl)],
      ["then", `the same command, with --attach ${file}.sig --signed-at ${signedAt} in place of --detach`],
    ],
  };
}
