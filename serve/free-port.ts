import { createServer } from "node:net";
import { SluiceError } from "../src/base/error.js";

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
