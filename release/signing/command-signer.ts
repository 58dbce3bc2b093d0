import { runCommand } from "../../store/run-command.js";
import { decodeBase64 } from "../../src/trust/base64.js";
import { type PublicKey, verifiesSignature } from "../../src/trust/public-key.js";
import type { Signer } from "./sign-statement.js";
import { SluiceError } from "../../src/base/error.js";

const maxOutputBytes = 4096;

export interface CommandSignerOptions {
  readonly command: string;
  readonly publicKey: PublicKey;
  readonly timeoutMs: number;
  /** Aborting it ends the command early. */
  readonly signal: AbortSignal;
}

function failed(text: string, cause?: unknown): SluiceError {
  return new SluiceError("SIGNER_FAILED", `the signer command ${text}`, {
    hint: "It reads the bytes to sign from stdin, prints the Ed25519 signature in base64, and ends with 0.",
    cause,
  });
}

function decode(output: string): Buffer {
  try {
    return decodeBase64(output.trim(), "signature");
  } catch (cause) {
    throw failed("printed something other than base64", cause);
  }
}

/**
 * Signer that passes the bytes to a command of the user, for keys in an HSM or a key service. The output is accepted
 * only if it is a signature by the named key.
 * @throws {SluiceError} on signing SIGNER_FAILED, SIGNATURE_INVALID, and the abort reason of the signal
 */
export function commandSigner(options: CommandSignerOptions): Signer {
  const { publicKey } = options;
  const sign = async (message: Uint8Array): Promise<Buffer> => {
    const output = await runCommand({ ...options, maxOutputBytes, stderr: "inherit", failed }, message);
    const signature = decode(output.toString("latin1"));
    if (verifiesSignature(publicKey, message, signature)) return signature;
    throw new SluiceError(
      "SIGNATURE_INVALID",
      `the signer command's output is not a signature by key ${publicKey.keyId}`,
    );
  };
  return { keyId: publicKey.keyId, publicKey, sign };
}

const signatureBytes = 64;

/** Thrown instead of returning a signature: the bytes have to be signed elsewhere, and nothing was saved. */
export class SignatureAwaited extends Error {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super("the bytes must be signed elsewhere");
    this.bytes = bytes;
  }
}

/** Signer that signs nothing and only hands out the bytes to sign. @throws {SignatureAwaited} on signing */
export function awaitingSigner(publicKey: PublicKey): Signer {
  const sign = async (message: Uint8Array): Promise<Buffer> => {
    throw new SignatureAwaited(message);
  };
  return { keyId: publicKey.keyId, publicKey, sign };
}

/** Reads 64 raw bytes, as openssl writes them, or their base64 form. */
function readSignature(file: Buffer, what: string): Buffer {
  return file.length === signatureBytes ? file : decodeBase64(file.toString("latin1").trim(), what);
}

/**
 * Signer that returns a signature made elsewhere.
 * @param file  content of the signature file
 * @throws {SluiceError} NOT_CANONICAL; on signing SIGNATURE_INVALID  the signature is not of these bytes
 */
export function attachedSigner(publicKey: PublicKey, file: Buffer, what: string): Signer {
  const signature = readSignature(file, what);
  const sign = async (message: Uint8Array): Promise<Buffer> => {
    if (verifiesSignature(publicKey, message, signature)) return signature;
    throw new SluiceError(
      "SIGNATURE_INVALID",
      `${what}: is not a signature by key ${publicKey.keyId} over these bytes`,
      {
        hint: "Use the same options as with --detach and the time that it printed; otherwise write the bytes again.",
      },
    );
  };
  return { keyId: publicKey.keyId, publicKey, sign };
}
