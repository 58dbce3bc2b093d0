import { type Readable, Transform } from "node:stream";
import type { FastifyInstance } from "fastify";
import { SluiceError } from "../../src/base/error.js";

/** Bodies up to this size are always read; the connection limit bounds their memory. */
const smallBodyBytes = 131_072;
/** Bytes that all larger bodies may hold at once. */
const largeBodiesBytes = 67_108_864;

/**
 * Refuses a declared length over the limit before anything is read; streamed bytes are counted by the body parser.
 * Larger bodies share a budget of memory, so that clients who send many of them at once are refused (503) instead of
 * exhausting the process.
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

/** The same bytes, until `take` refuses a part. */
function counted(payload: Readable, take: (bytes: number) => SluiceError | null): Transform {
  const stream = new Transform({
    transform: (part: Buffer, _encoding, done) => done(take(part.length), part),
  });
  payload.on("error", (error) => stream.destroy(error));
  return payload.pipe(stream);
}
