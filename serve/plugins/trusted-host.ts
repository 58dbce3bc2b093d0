import type { FastifyInstance, FastifyRequest } from "fastify";
import { SluiceError } from "../../src/errors/error.js";
import { isLoopbackAddress, loopbackHosts } from "../loopback.js";

/**
 * Refuses requests whose Host header names no trusted host. Health probes from this machine to a loopback name are
 * accepted, because a container probes itself by address.
 */
export function addTrustedHost(app: FastifyInstance, trustedHosts: readonly string[]): void {
  const exact = new Set(trustedHosts.filter((host) => !host.startsWith("*")));
  const suffixes = trustedHosts.filter((host) => host.startsWith("*.")).map((host) => host.slice(1));
  if (trustedHosts.includes("*")) return;
  app.addHook("onRequest", async (request) => {
    const host = hostName(request.headers.host ?? "");
    if (exact.has(host) || suffixes.some((suffix) => host.endsWith(suffix))) return;
    if (isLocalProbe(request, host)) return;
    throw new SluiceError("HOST_NOT_TRUSTED", "the Host header names no trusted host");
  });
}

function hostName(header: string): string {
  return header.replace(/:\d*$/u, "").toLowerCase();
}

function isLocalProbe(request: FastifyRequest, host: string): boolean {
  const isHealth = request.routeOptions.url?.startsWith("/health") ?? false;
  return (
    isHealth && loopbackHosts.some((name) => name === host) && isLoopbackAddress(request.socket.remoteAddress ?? "")
  );
}
