import { decodeBase64 } from "../../src/trust/base64.js";
import { type PublicKey, verifiesSignature } from "../../src/trust/public-key.js";
import type { Signer } from "./signer.js";
import { SluiceError } from "../../src/base/error.js";

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

/** Reads 64 raw bytes, as openssl writes them, or their base64 form. @throws {SluiceError} BAD_BASE64 */
function readSignature(file: Buffer, what: string): Buffer {
  return file.length === signatureBytes ? file : decodeBase64(file.toString("latin1").trim(), what);
}

/**
 * Signer that returns a signature made elsewhere.
 * @param file  content of the signature file
 * @throws {SluiceError} BAD_BASE64; on signing SIGNATURE_INVALID  the signature is not of these bytes
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
