import { type Readable, Transform } from "node:stream";
import type { FastifyInstance } from "fastify";
import { SluiceError } from "../../src/base/error.js";

/** Maximum size of a body that is always read; the connection limit bounds the total memory of such bodies. */
const smallBodyBytes = 131_072;
/** Memory budget in bytes that all larger bodies share. */
const largeBodiesBytes = 67_108_864;

/**
 * Refuses a declared length above the limit before reading anything; the body parser counts streamed bytes. Larger
 * bodies share a memory budget: when many arrive at once, some are refused (503) so that the process does not run out
 * of memory.
 */
export function addBodyLimit(app: FastifyInstance, limitBytes: number, budgetBytes: number = largeBodiesBytes): void {
  const budget = { held: 0 };
  app.addHook("onRequest", (request, _reply, done) => {
    const declared = Number(request.headers["content-length"] ?? 0);
    if (declared <= limitBytes) return done();
    const text = `the body has ${declared} bytes, at most ${limitBytes} are allowed`;
    return done(new SluiceError("REQUEST_TOO_LARGE", text));
  });
  if (limitBytes <= smallBodyBytes) return;
  app.addHook("preParsing", (request, reply, payload, done) => {
    const declared = Number(request.headers["content-length"] ?? limitBytes);
    if (declared <= smallBodyBytes) return done(null, payload);
    let held = 0;
    reply.raw.once("close", () => {
      budget.held -= held;
    });
    const take = (bytes: number): SluiceError | null => {
      held += bytes;
      budget.held += bytes;
      if (held <= smallBodyBytes || budget.held <= budgetBytes) return null;
      return new SluiceError(
        "SERVER_OVERLOADED",
        `large request bodies occupy ${budget.held} bytes, at most ${budgetBytes} are allowed`,
      );
    };
    return done(null, counted(payload, take));
  });
}

/** Passes the bytes through until `take` refuses a part. */
function counted(payload: Readable, take: (bytes: number) => SluiceError | null): Transform {
  const stream = new Transform({
    transform: (part: Buffer, _encoding, done) => done(take(part.length), part),
  });
  payload.on("error", (error) => stream.destroy(error));
  return payload.pipe(stream);
}
