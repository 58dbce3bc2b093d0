import type { FastifyInstance } from "fastify";
import { SluiceError } from "../src/base/error.js";

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
