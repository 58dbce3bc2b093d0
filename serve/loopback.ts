import { isIP } from "node:net";

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
