import { verify } from "node:crypto";
import { type Static, Type } from "typebox";
import { matchesSchema } from "../../src/domain/check-schema.js";
import { AuthorizationDenied } from "../authorizer.js";
import { tokenAlgorithms, type VerificationKey } from "./key-set.js";

/** What a token must say, beside a valid signature. */
export interface TokenExpectations {
  readonly issuer: string;
  readonly audience: string;
  readonly now: Date;
}

/** A token in its parts; nothing of it is trusted yet. */
export interface ReadToken {
  readonly header: TokenHeader;
  readonly claims: TokenClaims;
  readonly signedBytes: Buffer;
  readonly signature: Buffer;
}

const maxTokenLength = 8192;
/** Seconds that the clocks of issuer and server may differ. */
const leewaySec = 30;
const segment = /^[A-Za-z0-9_-]+$/u;

const HeaderSchema = Type.Object({
  alg: Type.Enum([...tokenAlgorithms]),
  kid: Type.Optional(Type.String()),
  typ: Type.Optional(Type.String({ pattern: "^([Aa]pplication/)?([Aa][Tt]\\+)?[Jj][Ww][Tt]$" })),
});
type TokenHeader = Static<typeof HeaderSchema>;

const ClaimsSchema = Type.Object({
  iss: Type.String(),
  aud: Type.Union([Type.String(), Type.Array(Type.String())]),
  exp: Type.Number(),
  nbf: Type.Optional(Type.Number()),
  iat: Type.Optional(Type.Number()),
});
export type TokenClaims = Static<typeof ClaimsSchema> & Readonly<Record<string, unknown>>;

/** The parts of a compact JSON Web Token (RFC 7519). @throws {AuthorizationDenied} for any other text */
export function readToken(token: string): ReadToken {
  const parts = token.length > maxTokenLength ? [] : token.split(".");
  const [head = "", payload = "", signature = ""] = parts;
  if (parts.length !== 3 || !parts.every((part) => segment.test(part))) throw new AuthorizationDenied("no token");
  const header = decode(head);
  // Extensions that must be understood (RFC 7515, section 4.1.11) are not.
  if (!matchesSchema(HeaderSchema, header) || "crit" in header) throw new AuthorizationDenied("header of the token");
  const claims = decode(payload);
  if (!matchesSchema(ClaimsSchema, claims)) throw new AuthorizationDenied("claims of the token");
  const signedBytes = Buffer.from(`${head}.${payload}`, "ascii");
  return { header, claims, signedBytes, signature: Buffer.from(signature, "base64url") };
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as unknown;
  } catch (cause) {
    throw new AuthorizationDenied("the token is not JSON", { cause });
  }
}

/** The keys that may have signed a token: of its algorithm, and of its key id where it names one. */
export function keysFor(token: ReadToken, keys: readonly VerificationKey[]): readonly VerificationKey[] {
  const { alg, kid } = token.header;
  return keys.filter((key) => key.algorithm === alg && (kid === undefined || key.keyId === kid));
}

/**
 * The claims of a token that one of the keys signed, issued by and for the expected parties, and valid now.
 * @throws {AuthorizationDenied}
 */
export function verifiedClaims(
  token: ReadToken,
  keys: readonly VerificationKey[],
  expected: TokenExpectations,
): TokenClaims {
  if (!keysFor(token, keys).some((key) => isSignedBy(token, key))) throw new AuthorizationDenied("signature");
  const { iss, aud, exp, nbf, iat } = token.claims;
  if (iss !== expected.issuer) throw new AuthorizationDenied("issuer");
  if (!(typeof aud === "string" ? [aud] : aud).includes(expected.audience)) throw new AuthorizationDenied("audience");
  const nowSec = expected.now.getTime() / 1000;
  if (nowSec >= exp + leewaySec) throw new AuthorizationDenied("the token has expired");
  if (nowSec < (nbf ?? 0) - leewaySec) throw new AuthorizationDenied("the token is not valid yet");
  if (nowSec < (iat ?? 0) - leewaySec) throw new AuthorizationDenied("the token was issued in the future");
  return token.claims;
}

function isSignedBy({ signedBytes, signature }: ReadToken, { algorithm, key }: VerificationKey): boolean {
  if (algorithm === "EdDSA") return verify(null, signedBytes, key, signature);
  if (algorithm === "RS256") return verify("sha256", signedBytes, key, signature);
  return verify("sha256", signedBytes, { key, dsaEncoding: "ieee-p1363" }, signature);
}
