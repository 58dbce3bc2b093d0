import { type CryptoKey, createLocalJWKSet, errors, importJWK, type JWTVerifyGetKey } from "jose";
import { type Static, Type } from "../../src/base/typebox.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { SluiceError } from "../../src/base/error.js";

/** Signature algorithms that a token may name (RFC 7518, RFC 8037). None uses a shared secret. */
export const tokenAlgorithms = ["RS256", "ES256", "EdDSA"] as const;
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

/** Finds the public key for a token by algorithm and key id. */
export type KeySet = JWTVerifyGetKey;

const minimumRsaBits = 2048;
const KeySetSchema = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.String(),
      kid: Type.Optional(Type.String({ maxLength: 500 })),
      use: Type.Optional(Type.String()),
      alg: Type.Optional(Type.String()),
      crv: Type.Optional(Type.String()),
    }),
    { maxItems: 100 },
  ),
});
type KeyEntry = Static<typeof KeySetSchema>["keys"][number];
type UsableEntry = KeyEntry & { readonly alg: TokenAlgorithm };

/**
 * Reads the keys of a JSON Web Key Set (RFC 7517) that can verify tokens; keys for other uses are ignored.
 * @param what  name of the set in messages
 * @throws {SluiceError} DOCUMENT_INVALID
 */
export async function parseKeySet(text: string, what: string): Promise<KeySet> {
  const { keys } = checkSchema(KeySetSchema, parseJson(text, what), what);
  const usable = keys.flatMap((entry) => {
    const alg = algorithmOf(entry);
    return alg === null ? [] : [{ ...entry, alg }];
  });
  if (usable.length === 0) {
    throw new SluiceError("DOCUMENT_INVALID", `${what}: contains no key for ${tokenAlgorithms.join(", ")}`);
  }
  for (const entry of usable) await requireUsable(entry, what);
  return createLocalJWKSet({ keys: usable });
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new SluiceError("DOCUMENT_INVALID", `${what}: is not JSON`, { cause });
  }
}

function algorithmOf({ kty, crv, use = "sig", alg }: KeyEntry): TokenAlgorithm | null {
  if (use !== "sig") return null;
  const algorithm = byKeyType(kty, crv);
  return alg === undefined || alg === algorithm || (alg === "Ed25519" && algorithm === "EdDSA") ? algorithm : null;
}

function byKeyType(kty: string, crv: string | undefined): TokenAlgorithm | null {
  if (kty === "RSA") return "RS256";
  if (kty === "EC" && crv === "P-256") return "ES256";
  if (kty === "OKP" && crv === "Ed25519") return "EdDSA";
  return null;
}

async function requireUsable(entry: UsableEntry, what: string): Promise<void> {
  const { algorithm } = await imported(entry, what);
  const bits = "modulusLength" in algorithm ? Number(algorithm.modulusLength) : minimumRsaBits;
  if (bits >= minimumRsaBits) return;
  throw new SluiceError(
    "DOCUMENT_INVALID",
    `${what}: an RSA key has ${bits} bits, expected at least ${minimumRsaBits}`,
  );
}

async function imported(entry: UsableEntry, what: string): Promise<CryptoKey> {
  try {
    const key = await importJWK(entry);
    if (key instanceof Uint8Array || key.type !== "public") throw new errors.JWKInvalid("no public key");
    return key;
  } catch (cause) {
    throw new SluiceError("DOCUMENT_INVALID", `${what}: a key of type ${entry.kty} cannot be read`, { cause });
  }
}
