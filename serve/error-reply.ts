import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, Type } from "../src/base/typebox.js";
import { object } from "../src/documents/primitives.js";
import { type ErrorCode, errorCodes } from "../src/base/error-codes.js";
import { SluiceError } from "../src/base/error.js";
import { securityHeaders } from "./plugins/http-rules.js";
import { linger } from "./plugins/lingering-close.js";
import { connectionFailure, type ParserError } from "./connection-failure.js";
import { useRequestId } from "./request-state.js";

/** One fault of a request body: the JSON pointer of the field and the violated rule, never the value. */
export const FieldFaultSchema = object({ path: Type.String(), rule: Type.String() });
export type FieldFault = Readonly<Static<typeof FieldFaultSchema>>;

/** Body of every error response: RFC 9457 problem details. `errors` is present only with status 422. */
export const ProblemSchema = object({
  type: Type.Literal("about:blank"),
  title: Type.String(),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  code: Type.String({ pattern: "^[A-Z_]+$" }),
  request_id: Type.String({ minLength: 1, maxLength: 160 }),
  errors: Type.Optional(Type.Array(FieldFaultSchema)),
});
export type ProblemBody = Readonly<Static<typeof ProblemSchema>>;

/** A body that breaks the schema of its route; answered with 422. */
export class InvalidBody extends SluiceError {
  readonly faults: readonly FieldFault[];

  constructor(faults: readonly FieldFault[]) {
    super("REQUEST_INVALID", `the request body breaks ${faults.length} rule(s)`);
    this.faults = faults;
  }
}

/** Seconds after which a caller may retry, unless the response states another time. */
const retryAfterSec = "1";

/** Failures that may leave unread bytes of the refused request, so the connection is closed. */
const closing: ReadonlySet<ErrorCode> = new Set([
  "REQUEST_TOO_LARGE",
  "EXPECTATION_FAILED",
  "TRANSFER_ENCODING_UNSUPPORTED",
]);

/** Public errors for failures of the HTTP framework, by framework code; any other failure is an internal error. */
const frameworkFailures: ReadonlyMap<string, () => SluiceError> = new Map([
  ["FST_ERR_CTP_BODY_TOO_LARGE", () => new SluiceError("REQUEST_TOO_LARGE", "the body is larger than the limit")],
  ["FST_ERR_CTP_INVALID_MEDIA_TYPE", () => new SluiceError("MEDIA_TYPE_UNSUPPORTED", "the body is not JSON")],
]);

/** Maps a failure to its public error. Only error codes of this service reach a caller. */
export function publicFailure(error: Error): SluiceError {
  if (error instanceof SluiceError && error.entry.area === "serving") return error;
  if (error instanceof SluiceError) return new SluiceError("INTERNAL", "internal error", { cause: error });
  const { code, statusCode } = error as Partial<FastifyError>;
  const known = frameworkFailures.get(code ?? "");
  if (known !== undefined) return known();
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new SluiceError("REQUEST_MALFORMED", "the request could not be read", { cause: error });
  }
  return new SluiceError("INTERNAL", "internal error", { cause: error });
}

export function problemBody(failure: SluiceError, requestId: string): ProblemBody {
  const body: ProblemBody = {
    type: "about:blank",
    title: errorCodes[failure.code].meaning,
    status: failure.entry.httpStatus,
    code: failure.code,
    request_id: requestId,
  };
  return failure instanceof InvalidBody ? { ...body, errors: [...failure.faults] } : body;
}

/** Sends problem details; also works before any hook has run. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: Error): FastifyReply {
  const failure = publicFailure(error);
  request.failure = failure;
  useRequestId(request, reply, request.id);
  if (closing.has(failure.code)) reply.header("connection", "close");
  if (failure.entry.httpStatus === 503 && !reply.hasHeader("retry-after")) reply.header("retry-after", retryAfterSec);
  return (
    reply
      .code(failure.entry.httpStatus)
      .headers(securityHeaders)
      .header("content-type", "application/problem+json")
      // Sent as bytes, because the framework adds a charset to strings, and this media type has none.
      .send(Buffer.from(JSON.stringify(problemBody(failure, request.id))))
  );
}

/** Adds handlers for failures, unknown paths (404) and wrong methods of known paths (405). */
export function addErrorReplies(app: FastifyInstance, allowedMethods: ReadonlyMap<string, string>): void {
  app.setErrorHandler((error: Error, request, reply) => sendProblem(request, reply, error));
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.is404) return done();
    const allowed = allowedMethods.get(pathOf(request.url));
    if (allowed === undefined) return done(new SluiceError("NOT_FOUND", "no such route"));
    reply.header("allow", allowed);
    return done(new SluiceError("METHOD_NOT_ALLOWED", `allowed: ${allowed}`));
  });
}

/** The path of a request target, also for absolute targets (RFC 9112, section 3.2.2). */
function pathOf(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/iu, "").split("?", 1)[0] ?? "";
}

/**
 * Responds to input that never became a request (not HTTP, too late, or a tunnel request), and closes both directions
 * of the connection, because the client might never close it.
 * @returns the failure that was sent; null if no response was possible
 */
export function refuseConnection(error: ParserError, socket: Duplex, requestId: string): SluiceError | null {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return null;
  }
  const failure = connectionFailure(error);
  const body = JSON.stringify(problemBody(failure, requestId));
  const headers = {
    ...securityHeaders,
    "x-request-id": requestId,
    ...(failure.code === "METHOD_NOT_ALLOWED" ? { allow: "GET, HEAD, POST" } : {}),
    "content-type": "application/problem+json",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const { httpStatus } = failure.entry;
  socket.write(`HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
  if (failure.code === "REQUEST_TIMEOUT") socket.end(() => socket.destroy());
  else linger(socket as Socket);
  return failure;
}
