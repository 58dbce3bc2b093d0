import { isIP } from "node:net";

/** Host names of this machine only, as in a Host header without the port. */
export const loopbackHosts = ["127.0.0.1", "localhost", "[::1]"] as const;

/**
 * Host names that a client of a local server may use: those of this machine, and the address it listens on, as a client
 * writes it into the Host header.
 * @param host  loopback address to listen on
 */
export function localHosts(host: string): readonly string[] {
  const plain = isIP(host) === 6 ? new URL(`http://[${host}]`).hostname : host;
  return [...new Set<string>([...loopbackHosts, plain])];
}

/** Whether an address to listen on, or of a peer, belongs to this machine only. A name other than localhost does not. */
export function isLoopbackAddress(address: string): boolean {
  const plain = plainAddress(address);
  if (isIP(plain) === 4) return plain.startsWith("127.");
  return plain === "::1" || plain === "localhost";
}

/** An address of a socket, an IPv4 address of an IPv6 socket without its prefix. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
}
