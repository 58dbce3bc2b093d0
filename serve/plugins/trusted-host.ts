import { isIP } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { SluiceError } from "../../src/base/error.js";
import { isLoopbackAddress, loopbackHosts, plainAddress } from "../listen.js";

/** Characters allowed before a trusted suffix; anything else is not a host name (RFC 9112, section 3.2). */
const plainName = /^[a-z0-9_.-]+$/u;

/**
 * Refuses requests whose Host header does not name a trusted host. Health probes may also use an address, because
 * orchestrators and load balancers name the address that they connect to, containers probe themselves by a loopback
 * name, and HTTP/1.0 probes name no host.
 */
export function addTrustedHost(app: FastifyInstance, trustedHosts: readonly string[]): void {
  if (trustedHosts.includes("*")) return;
  const isTrusted = trustedHostTest(trustedHosts);
  app.addHook("onRequest", (request, _reply, done) => {
    const host = hostName(request.headers.host ?? "");
    if (isTrusted(host) || isProbe(request, host)) return done();
    return done(new SluiceError("HOST_NOT_TRUSTED", "the Host header is not a trusted host"));
  });
}

/** Tests whether a host name is a trusted host, or is below a trusted `*.example.com`. */
export function trustedHostTest(trustedHosts: readonly string[]): (host: string) => boolean {
  const exact = new Set(trustedHosts.filter((host) => !host.startsWith("*")));
  const suffixes = trustedHosts.filter((host) => host.startsWith("*.")).map((host) => host.slice(1));
  return (host) => exact.has(host) || (plainName.test(host) && suffixes.some((suffix) => host.endsWith(suffix)));
}

/** The host name in a Host header, without the port. */
export function hostName(header: string): string {
  return header.replace(/:\d*$/u, "").toLowerCase();
}

function isProbe(request: FastifyRequest, host: string): boolean {
  if (!(request.routeOptions.url?.startsWith("/health") ?? false)) return false;
  if (host === "" && request.raw.httpVersion === "1.0") return true;
  const { localAddress = "", remoteAddress = "" } = request.socket;
  if (host === hostOfAddress(localAddress)) return true;
  return loopbackHosts.some((name) => name === host) && isLoopbackAddress(remoteAddress);
}

/** The address of a socket, in the form of a Host header. */
function hostOfAddress(address: string): string {
  const plain = plainAddress(address);
  return isIP(plain) === 6 ? `[${plain}]` : plain;
}
