import type { FastifyInstance } from "fastify";
import { SluiceError } from "../src/errors/error.js";

export interface ListenAddress {
  /** IP address or name of this machine. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** Starts to listen and returns the base address, for example `http://127.0.0.1:8080`. @throws {SluiceError} PORT_IN_USE */
export async function listen(app: FastifyInstance, address: ListenAddress): Promise<string> {
  const { host, port } = address;
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new SluiceError("PORT_IN_USE", `port ${port} of ${host} is taken by another process`, {
        hint: "Choose another --port, or 0 for any free one.",
        cause,
      });
    }
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EACCES") {
      throw new SluiceError("USAGE", `the server cannot listen on port ${port} of ${host} (${code})`, {
        hint: "Choose an address of this machine with --host and a --port that you may use.",
        cause,
      });
    }
    throw cause;
  }
}
