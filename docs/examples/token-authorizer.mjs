/**
 * Example of an authorizer module that verifies bearer tokens (RFC 6750, RFC 7519) itself, for a server without an
 * ingress that authenticates. Needs `npm install jose` next to it, and three variables of the environment:
 *
 *   TOKEN_KEYS=https://issuer.example.com/.well-known/jwks.json TOKEN_ISSUER=https://issuer.example.com \
 *   TOKEN_AUDIENCE=sluice sluice-serve --authorizer token-authorizer.mjs ...
 */
import { createRemoteJWKSet, errors, jwtVerify } from "jose";

const { TOKEN_KEYS = "", TOKEN_ISSUER: issuer = "", TOKEN_AUDIENCE: audience = "" } = process.env;
if ([TOKEN_KEYS, issuer, audience].includes("")) throw new Error("set TOKEN_KEYS, TOKEN_ISSUER and TOKEN_AUDIENCE");

/** Read again when a token names an unknown key, at most every 30 seconds, and when older than 10 minutes. */
const keys = createRemoteJWKSet(new URL(TOKEN_KEYS), { timeoutDuration: 800 });
const expected = {
  issuer,
  audience,
  algorithms: ["RS256", "ES256", "EdDSA"],
  requiredClaims: ["exp"],
  clockTolerance: 30,
};

const workflowsOf = new Map([
  ["route:orders", ["orders.status"]],
  ["route:support", ["orders.status", "accounts.unlock"]],
]);

/** Recognised by its name, so this module needs no package for it. Any other error is answered with 503. */
class AuthorizationDenied extends Error {
  name = "AuthorizationDenied";
}

export default async function authorize(request) {
  const [, token] = /^bearer +([^ ]+)$/i.exec(request.headers.authorization ?? "") ?? [];
  if (token === undefined || token.length > 8192) throw new AuthorizationDenied("no bearer token");
  const { payload, protectedHeader } = await jwtVerify(token, keys, expected).catch(denied);
  if (!/^(?:application\/)?(?:at\+)?jwt$/i.test(protectedHeader.typ ?? "JWT")) throw new AuthorizationDenied("type");
  request.scope.authenticated_principal = payload;
  const scopes = String(payload.scope ?? "").split(" ");
  const granted = scopes.flatMap((scope) => workflowsOf.get(scope) ?? []);
  if (granted.length === 0) throw new AuthorizationDenied("no scope of the token grants a workflow");
  return [...new Set(granted)];
}

/** A token that is not valid is denied; an issuer that cannot be reached is no fault of the caller. */
function denied(error) {
  const isIssuerDown = error.code === errors.JWKSTimeout.code || error.code === errors.JOSEError.code;
  throw isIssuerDown || !(error instanceof errors.JOSEError) ? error : new AuthorizationDenied(error.code);
}
