import { createConnection } from "node:net";
import { type PublicKey, verifiesSignature } from "../../src/trust/public-key.js";
import type { Signer } from "./sign-statement.js";
import { SluiceError } from "../../src/base/error.js";

const algorithm = Buffer.from("ssh-ed25519", "ascii");
const signRequest = 13;
const signResponse = 14;
const lengthBytes = 4;
const maxReplyBytes = 4096;

interface AgentOptions {
  /** Path of the agent's socket, as in SSH_AUTH_SOCK. */
  readonly socket: string;
  readonly publicKey: PublicKey;
  readonly timeoutMs: number;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(lengthBytes);
  bytes.writeUInt32BE(value);
  return bytes;
}

const string = (bytes: Uint8Array): Buffer => Buffer.concat([uint32(bytes.length), bytes]);

function requestOf(publicKey: PublicKey, message: Uint8Array): Buffer {
  const keyBlob = Buffer.concat([string(algorithm), string(publicKey.raw)]);
  const flags = uint32(0);
  return string(Buffer.concat([Buffer.from([signRequest]), string(keyBlob), string(message), flags]));
}

function failed(text: string, cause?: unknown): SluiceError {
  return new SluiceError("SIGNER_FAILED", `ssh-agent: ${text}`, {
    hint: "List the keys of the agent: ssh-add -L",
    cause,
  });
}

/** Reads the next length-prefixed string of a reply. */
function readString(bytes: Buffer, offset: number): Buffer {
  const start = offset + lengthBytes;
  const end = bytes.length < start ? Number.POSITIVE_INFINITY : start + bytes.readUInt32BE(offset);
  if (end > bytes.length) throw failed("its reply is malformed");
  return bytes.subarray(start, end);
}

function signatureOf(reply: Buffer, keyId: string): Buffer {
  if (reply[0] !== signResponse) throw failed(`refuses to sign with key ${keyId}, or does not have it`);
  const blob = readString(reply, 1);
  const found = readString(blob, 0);
  if (!found.equals(algorithm)) throw failed(`signed as ${found.toString("latin1")}, expected ssh-ed25519`);
  return readString(blob, lengthBytes + found.length);
}

/** Sends one request and resolves with the reply, without its length prefix. */
function exchange({ socket: path, timeoutMs }: AgentOptions, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path, timeout: timeoutMs });
    let received: Buffer = Buffer.alloc(0);
    const finish = (settle: () => void): void => {
      socket.destroy();
      settle();
    };
    socket.on("connect", () => void socket.write(request));
    socket.on("timeout", () => finish(() => reject(failed(`did not answer within ${timeoutMs / 1000} s`))));
    socket.on("error", (cause) => finish(() => reject(failed("cannot be reached", cause))));
    socket.on("close", () => reject(failed("closed the connection without a reply")));
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < lengthBytes) return;
      const length = received.readUInt32BE(0);
      if (length > maxReplyBytes) return finish(() => reject(failed("its reply is malformed")));
      if (received.length < lengthBytes + length) return;
      finish(() => resolve(received.subarray(lengthBytes, lengthBytes + length)));
    });
  });
}

/**
 * Signer that uses a key in an ssh-agent. The agent signs the unmodified bytes, so the result is a plain Ed25519
 * signature. Source: https://datatracker.ietf.org/doc/html/draft-ietf-sshm-ssh-agent, section 3.6.
 * @throws {SluiceError} on signing SIGNER_FAILED (no agent, no such key, refused, timed out), SIGNATURE_INVALID
 */
export function agentSigner(options: AgentOptions): Signer {
  const { publicKey } = options;
  const sign = async (message: Uint8Array): Promise<Buffer> => {
    const signature = signatureOf(await exchange(options, requestOf(publicKey, message)), publicKey.keyId);
    if (verifiesSignature(publicKey, message, signature)) return signature;
    throw new SluiceError("SIGNATURE_INVALID", `the ssh-agent's signature does not verify with ${publicKey.keyId}`);
  };
  return { keyId: publicKey.keyId, publicKey, sign };
}
