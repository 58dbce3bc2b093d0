import type { FastifyInstance } from "fastify";
import { SluiceError } from "../../src/errors/error.js";

/** Refuses a declared length over the limit before anything is read; streamed bytes are counted by the body parser. */
export function addBodyLimit(app: FastifyInstance, limitBytes: number): void {
  app.addHook("onRequest", async (request) => {
    const declared = Number(request.headers["content-length"] ?? 0);
    if (declared <= limitBytes) return;
    throw new SluiceError("REQUEST_TOO_LARGE", `the body has ${declared} bytes, at most ${limitBytes} are accepted`);
  });
}
