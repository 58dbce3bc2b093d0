import { SluiceError } from "../src/errors/error.js";
import type { RouterRuntime } from "../src/routing/runtime.js";
import { AuthorizationDenied, type Authorizer } from "./authorizer.js";
import { isLoopbackAddress } from "./loopback.js";

/**
 * For a server that only this machine can reach: every local caller may use every workflow of the active bundle.
 * A caller from elsewhere is denied, should the socket ever be forwarded.
 * @param host  address that the server listens on
 * @throws {SluiceError} PRODUCTION_CONFIGURATION when other machines can reach that address
 */
export function localAuthorizer(runtime: RouterRuntime, host: string): Authorizer {
  if (!isLoopbackAddress(host)) {
    throw new SluiceError("PRODUCTION_CONFIGURATION", `other machines can reach ${host}, and no authorizer was given`, {
      hint: "Name one with --authorizer MODULE, or listen on --host 127.0.0.1.",
    });
  }
  return async (request) => {
    if (!isLoopbackAddress(request.socket.remoteAddress ?? "")) {
      throw new AuthorizationDenied("the caller is not on this machine");
    }
    return [...runtime.router.workflowIds];
  };
}
