import type { FastifyInstance } from "fastify";
import { SluiceError } from "../../src/errors/error.js";

/** Refuses a declared length over the limit before anything is read; streamed bytes are counted by the body parser. */
export function addBodyLimit(app: FastifyInstance, limitBytes: number): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const declared = Number(request.headers["content-length"] ?? 0);
    if (declared <= limitBytes) return done();
    const text = `the body has ${declared} bytes, at most ${limitBytes} are accepted`;
    return done(new SluiceError("REQUEST_TOO_LARGE", text));
  });
}
