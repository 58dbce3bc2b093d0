import { AuthorizationDenied, type Authorizer } from "../authorizer.js";
import { type GrantPolicy, grantsOf } from "./grant-policy.js";
import type { KeySource } from "./key-source.js";
import { verifiedClaims } from "./verify-token.js";

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
