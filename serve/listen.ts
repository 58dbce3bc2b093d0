import type { FastifyInstance } from "fastify";
import { SluiceError } from "../src/base/error.js";
import { createServer, isIP } from "node:net";

export interface ListenAddress {
  /** IP address or host name of this machine. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/** Wildcard addresses of this machine, as written in a URL. */
const everyAddress: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "0.0.0.0"],
  ["::", "[::]"],
]);

/**
 * Starts to listen and returns the base address, for example `http://127.0.0.1:8080`.
 * @throws {SluiceError} PORT_IN_USE, USAGE
 */
export async function listen(app: FastifyInstance, address: ListenAddress): Promise<string> {
  const { host, port } = address;
  try {
    const base = await app.listen({ host, port });
    // The framework would name the loopback address, and so hide that other machines can reach the server.
    const every = everyAddress.get(host);
    return every === undefined ? base : `http://${every}:${new URL(base).port}`;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new SluiceError("PORT_IN_USE", `port ${port} of ${host} is in use by another process`, {
        hint: "Choose another --port, or 0 for a free one.",
        cause,
      });
    }
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EACCES") {
      throw new SluiceError("USAGE", `the server cannot listen on port ${port} of ${host} (${code})`, {
        hint: "Choose an address of this machine with --host, and a --port that you are permitted to use.",
        cause,
      });
    }
    throw cause;
  }
}

/** Checks that the port is free, before work that takes minutes; port 0 always is. @throws {SluiceError} PORT_IN_USE */
export async function requireFreePort(port: number, host = "127.0.0.1"): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", (cause: NodeJS.ErrnoException) => {
      const message = `port ${port} of ${host} cannot be used (${cause.code ?? "no code"})`;
      reject(new SluiceError("PORT_IN_USE", message, { hint: "Choose another port with --port.", cause }));
    });
    probe.listen(port, host, resolve);
  });
  await new Promise<void>((resolve) => probe.close(() => resolve()));
}

/** Host names of this machine, as in a Host header without the port. */
export const loopbackHosts = ["127.0.0.1", "localhost", "[::1]"] as const;

/**
 * Host names that a client of a local server may use: those of this machine, and the server's address, in the form of a
 * Host header.
 * @param host  loopback address to listen on
 */
export function localHosts(host: string): readonly string[] {
  const plain = isIP(host) === 6 ? new URL(`http://[${host}]`).hostname : host;
  return [...new Set<string>([...loopbackHosts, plain])];
}

/** Whether a listening or peer address can only belong to this machine. Of host names, only localhost qualifies. */
export function isLoopbackAddress(address: string): boolean {
  const plain = plainAddress(address);
  if (isIP(plain) === 4) return plain.startsWith("127.");
  return plain === "::1" || plain === "localhost";
}

/** The address of a socket, without the prefix that marks an IPv4 address on an IPv6 socket. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
}
