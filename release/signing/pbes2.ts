import { createCipheriv, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

/** PBKDF2-SHA256 iterations for a new key file; opening it takes about 150 ms. */
export const defaultKeyRounds = 600_000;

const deriveKey = promisify(pbkdf2);
const tag = { integer: 0x02, octets: 0x04, null: 0x05, oid: 0x06, sequence: 0x30 } as const;
const oid = {
  pbes2: "2a864886f70d01050d",
  pbkdf2: "2a864886f70d01050c",
  hmacWithSha256: "2a864886f70d0209",
  aes256Cbc: "60864801650304012a",
} as const;

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

function der(tagByte: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tagByte]), lengthBytes(body.length), body]);
}

/** DER encoding of a non-negative integer; a leading zero byte keeps the sign bit clear. */
function derInteger(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  const negative = ((bytes[0] ?? 0) & 0x80) !== 0;
  return negative ? der(tag.integer, Buffer.from([0]), bytes) : der(tag.integer, bytes);
}

const derOid = (hex: string): Buffer => der(tag.oid, Buffer.from(hex, "hex"));

function algorithm(salt: Uint8Array, iv: Uint8Array, rounds: number): Buffer {
  const prf = der(tag.sequence, derOid(oid.hmacWithSha256), der(tag.null));
  const kdf = der(tag.sequence, der(tag.octets, salt), derInteger(rounds), prf);
  const cipher = der(tag.sequence, derOid(oid.aes256Cbc), der(tag.octets, iv));
  const parameters = der(tag.sequence, der(tag.sequence, derOid(oid.pbkdf2), kdf), cipher);
  return der(tag.sequence, derOid(oid.pbes2), parameters);
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  const label = "ENCRYPTED PRIVATE KEY";
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/**
 * Encrypts a PKCS#8 private key as PEM `ENCRYPTED PRIVATE KEY`: PBES2 (RFC 8018) with PBKDF2-SHA256 and AES-256-CBC.
 * Written here because Node's own export uses only 2,048 iterations. OpenSSL can open the result.
 * @param pkcs8   DER of the private key
 * @param rounds  PBKDF2 iterations, at least 1
 */
export async function encryptPkcs8(pkcs8: Uint8Array, passphrase: string, rounds: number): Promise<string> {
  const salt = randomBytes(16);
  const iv = randomBytes(16);
  const key = await deriveKey(passphrase, salt, rounds, 32, "sha256");
  const cipher = createCipheriv("aes-256-cbc", key, iv);
  const encrypted = Buffer.concat([cipher.update(pkcs8), cipher.final()]);
  return toPem(der(tag.sequence, algorithm(salt, iv, rounds), der(tag.octets, encrypted)));
}
