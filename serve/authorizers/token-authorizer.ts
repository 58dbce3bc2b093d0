import { AuthorizationDenied, type Authorizer } from "../authorizer.js";
import { type GrantPolicy, grantsOf } from "./grant-policy.js";
import type { KeySource } from "./key-source.js";
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import { type KeySet, tokenAlgorithms } from "./key-set.js";

export interface TokenAuthorizerOptions {
  readonly keys: KeySource;
  readonly issuer: string;
  readonly audience: string;
  readonly policy: GrantPolicy;
  readonly clock: () => Date;
  /** Workflow ids of the active bundle. */
  readonly workflowIds: () => Iterable<string>;
}

/**
 * Grants workflows by the verified claims of the caller's bearer token (RFC 6750); denies callers without a valid
 * token.
 */
export function tokenAuthorizer(options: TokenAuthorizerOptions): Authorizer {
  const { keys: source, issuer, audience, policy, clock, workflowIds } = options;
  return async (request) => {
    const token = bearerToken(request.headers.authorization);
    const claims = await source.use((keys) => verifiedClaims(token, keys, { issuer, audience, now: clock() }));
    request.scope.authenticated_principal = claims;
    return grantsOf(policy, claims, workflowIds());
  };
}

function bearerToken(header: string | undefined): string {
  const token = /^bearer +(?<token>[^ ]+)$/iu.exec(header ?? "")?.groups?.["token"];
  if (token === undefined) throw new AuthorizationDenied("no bearer token");
  return token;
}

/** Required claims of a token, in addition to a valid signature. */
interface TokenExpectations {
  readonly issuer: string;
  readonly audience: string;
  readonly now: Date;
}

const maxTokenLength = 8192;
/** Tolerated clock skew between issuer and server, in seconds. */
const leewaySec = 30;
/** Accepted token types (RFC 7519, RFC 9068); other kinds of signed objects are refused. */
const tokenType = /^(?:application\/)?(?:at\+)?jwt$/iu;

/**
 * Returns the claims of a JSON Web Token after checking its signature, issuer, audience and validity period.
 * @throws {AuthorizationDenied}
 * @throws {errors.JWKSNoMatchingKey} when the set has no key for the token
 */
export async function verifiedClaims(token: string, keys: KeySet, expected: TokenExpectations): Promise<JWTPayload> {
  if (token.length > maxTokenLength) throw new AuthorizationDenied("the token is too long");
  const { issuer, audience, now } = expected;
  try {
    const { payload, protectedHeader } = await verifiedWith(token, keys, {
      issuer,
      audience,
      algorithms: [...tokenAlgorithms],
      requiredClaims: ["exp"],
      clockTolerance: leewaySec,
      currentDate: now,
    });
    if (!tokenType.test(protectedHeader.typ ?? "JWT")) throw new AuthorizationDenied("type of the token");
    requireDates(payload);
    requireIssued(payload.iat, now);
    return payload;
  } catch (cause) {
    if (!(cause instanceof errors.JOSEError) || cause instanceof errors.JWKSNoMatchingKey) throw cause;
    throw new AuthorizationDenied(cause.code, { cause });
  }
}

/** Verifies a token without a key id by trying every suitable key. */
async function verifiedWith(token: string, keys: KeySet, options: JWTVerifyOptions): ReturnType<typeof jwtVerify> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (several) {
    if (!(several instanceof errors.JWKSMultipleMatchingKeys)) throw several;
    for await (const key of several) {
      try {
        return await jwtVerify(token, key, options);
      } catch (wrong) {
        if (!(wrong instanceof errors.JWSSignatureVerificationFailed)) throw wrong;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** The last second of the year 9999, beyond which RFC 3339 cannot express a date. */
const lastSecond = 253_402_300_799;

/**
 * Requires the dates of a token to be seconds within four-digit years: 1e400 would be read as infinity, and the token
 * would never expire.
 */
function requireDates(payload: JWTPayload): void {
  for (const name of ["exp", "nbf", "iat"] as const) {
    const date: unknown = payload[name];
    if (date === undefined) continue;
    if (typeof date === "number" && date >= 0 && date <= lastSecond) continue;
    throw new AuthorizationDenied(`${name} of the token is not a date`);
  }
}

function requireIssued(issuedAt: unknown, now: Date): void {
  if (issuedAt === undefined) return;
  if (typeof issuedAt === "number" && issuedAt <= now.getTime() / 1000 + leewaySec) return;
  throw new AuthorizationDenied("the token was issued in the future");
}
