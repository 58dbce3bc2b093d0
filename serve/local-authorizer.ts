import { SluiceError } from "../src/base/error.js";
import type { RouterRuntime } from "../src/router/runtime.js";
import { AuthorizationDenied, type Authorizer } from "./authorizer.js";
import { isLoopbackAddress } from "./loopback.js";

/**
 * @throws {SluiceError} PRODUCTION_CONFIGURATION if other machines can reach this address
 */
export function requireLocalHost(host: string): void {
  if (isLoopbackAddress(host)) return;
  throw new SluiceError(
    "PRODUCTION_CONFIGURATION",
    `other machines can reach ${host}, so callers must be authenticated`,
    {
      hint: "Choose another authorizer with --authorizer FILE, or listen on --host 127.0.0.1.",
    },
  );
}

/**
 * Authorizer for a server that only this machine can reach: local callers may use every workflow of the active bundle.
 * Remote callers are denied, in case the socket is forwarded.
 * @param host  address that the server listens on
 * @throws {SluiceError} PRODUCTION_CONFIGURATION if other machines can reach that address
 */
export function localAuthorizer(runtime: RouterRuntime, host: string): Authorizer {
  requireLocalHost(host);
  return async (request) => {
    if (!isLoopbackAddress(request.socket.remoteAddress ?? "")) {
      throw new AuthorizationDenied("the caller is not on this machine");
    }
    request.scope.authenticated_principal ??= "local";
    return [...runtime.router.workflowIds];
  };
}
