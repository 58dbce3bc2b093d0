import { BlockList, isIP } from "node:net";
import { SluiceError } from "../../src/base/error.js";
import { AuthorizationDenied, type Authorizer, type ScopedRequest } from "../authorizer.js";
import { plainAddress } from "../listen.js";
import type { GrantPolicy } from "../../src/documents/grant-policy.js";
import { type Claims, grantsBy, withoutOptionalSpace } from "./grant-policy.js";

export interface ProxyAuthorizerOptions {
  /** Header names; the first one identifies the caller and is required. */
  readonly headers: readonly string[];
  /** Addresses or CIDR ranges of the proxies. */
  readonly addresses: readonly string[];
  readonly policy: GrantPolicy;
  readonly workflowIds: () => Iterable<string>;
}

const headerName = /^[a-z0-9-]{1,100}$/u;

/**
 * Grants workflows by the headers that a proxy has written, and denies requests from any other address. To the grant
 * policy, each header is a claim: its name and its whole value.
 * @throws {SluiceError} PRODUCTION_CONFIGURATION
 */
export function proxyAuthorizer(options: ProxyAuthorizerOptions): Authorizer {
  const { workflowIds } = options;
  const grants = grantsBy(options.policy);
  const headers = options.headers.map(checkHeader);
  const proxies = addressList(options.addresses);
  return async (request) => {
    const address = plainAddress(request.socket.remoteAddress ?? "");
    const family = isIP(address);
    if (family === 0 || !proxies.check(address, family === 6 ? "ipv6" : "ipv4")) {
      throw new AuthorizationDenied("the request does not come from a listed proxy");
    }
    const claims = headerClaims(request, headers);
    request.scope.authenticated_principal = claims[headers[0] ?? ""];
    return grants(claims, workflowIds());
  };
}

/**
 * @throws {AuthorizationDenied} without the first header, or with a duplicate header: one of the two does not come from
 *   the proxy
 */
function headerClaims(request: ScopedRequest, headers: readonly string[]): Claims {
  const distinct = request.raw.headersDistinct;
  const claims = headers.flatMap((name) => {
    const values = distinct[name] ?? [];
    if (values.length > 1) throw new AuthorizationDenied("a header of the proxy occurs twice");
    const value = withoutOptionalSpace(values[0] ?? "");
    return value === "" ? [] : [[name, value] as const];
  });
  if (claims[0]?.[0] !== headers[0]) throw new AuthorizationDenied("the header with the caller's name is missing");
  return Object.fromEntries(claims);
}

function checkHeader(name: string): string {
  const lower = name.toLowerCase();
  if (headerName.test(lower)) return lower;
  throw new SluiceError("PRODUCTION_CONFIGURATION", `"${name}" is not a header name`, {
    hint: "Use the header that the proxy writes, for example x-authenticated-principal.",
  });
}

function addressList(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  if (addresses.length === 0) refuseAddress("");
  for (const entry of addresses) {
    const [address = "", bits] = entry.split("/", 2);
    const family = isIP(address);
    const type = family === 6 ? "ipv6" : "ipv4";
    const prefix = bits === undefined ? (family === 6 ? 128 : 32) : /^\d{1,3}$/u.test(bits) ? Number(bits) : 999;
    if (family === 0 || prefix < 1 || prefix > (family === 6 ? 128 : 32)) refuseAddress(entry);
    list.addSubnet(address, prefix, type);
  }
  return list;
}

function refuseAddress(entry: string): never {
  throw new SluiceError("PRODUCTION_CONFIGURATION", `"${entry}" is not a valid proxy address`, {
    hint: "Use an IP address or a range such as 10.1.0.0/16: --proxy-address 10.1.0.0/16",
  });
}
