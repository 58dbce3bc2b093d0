import { type FetchReply, isObject, parseObject } from "./fetch.js";

/** Error codes that the service sends. */
export const problemCodes = [
  "HOST_NOT_TRUSTED",
  "REQUEST_MALFORMED",
  "AUTHORIZATION_DENIED",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "REQUEST_TIMEOUT",
  "CATALOG_VERSION_MISMATCH",
  "REQUEST_TOO_LARGE",
  "TARGET_TOO_LONG",
  "MEDIA_TYPE_UNSUPPORTED",
  "EXPECTATION_FAILED",
  "REQUEST_INVALID",
  "HEADERS_TOO_LARGE",
  "AUTHORIZATION_FAILED",
  "INTERNAL",
  "TRANSFER_ENCODING_UNSUPPORTED",
  "AUTHORIZATION_UNAVAILABLE",
  "SERVER_OVERLOADED",
] as const;

/** Known error codes. A newer server may send codes that are not listed. */
export type ProblemCode = (typeof problemCodes)[number] | (string & {});

/** A field that breaks the schema: its path and the violated rule, never its value. */
export interface FieldFault {
  readonly path: string;
  readonly rule: string;
}

export interface ProblemBody {
  readonly status: number;
  readonly code: ProblemCode;
  readonly title: string;
  readonly requestId: string | null;
  /** The faults of a 422; empty with any other status. */
  readonly faults: readonly FieldFault[];
  /** Value of the header `Retry-After`; null without one. */
  readonly retryAfterSeconds: number | null;
}

/** The service answered with an error. Branch on `code`; titles may change. */
export class Problem extends Error implements ProblemBody {
  override readonly name = "Problem";
  readonly status: number;
  readonly code: ProblemCode;
  readonly title: string;
  readonly requestId: string | null;
  readonly faults: readonly FieldFault[];
  readonly retryAfterSeconds: number | null;

  constructor(body: ProblemBody) {
    super(`${body.status} ${body.code}: ${body.title}`);
    this.status = body.status;
    this.code = body.code;
    this.title = body.title;
    this.requestId = body.requestId;
    this.faults = body.faults;
    this.retryAfterSeconds = body.retryAfterSeconds;
  }
}

/** Reads the problem from an error response; null if the body is not a problem. */
export function readProblem(reply: FetchReply, text: string): Problem | null {
  const body = parseObject(text);
  if (body === null || typeof body["code"] !== "string" || body["status"] !== reply.status) return null;
  const { title, request_id: requestId, errors } = body;
  return new Problem({
    status: reply.status,
    code: body["code"],
    title: typeof title === "string" ? title : "",
    requestId: typeof requestId === "string" ? requestId : null,
    faults: Array.isArray(errors) ? errors.flatMap(readFault) : [],
    retryAfterSeconds: retryAfterSeconds(reply),
  });
}

function readFault(value: unknown): readonly FieldFault[] {
  if (!isObject(value)) return [];
  const { path, rule } = value;
  return typeof path === "string" && typeof rule === "string" ? [{ path, rule }] : [];
}

/** Seconds in `Retry-After`. The date form is ignored, because it requires synchronized clocks. */
export function retryAfterSeconds({ headers }: FetchReply): number | null {
  const value = headers.get("retry-after")?.trim() ?? "";
  return /^\d{1,6}$/u.test(value) ? Number(value) : null;
}

/**
 * Why there is no answer. `timeout`: the deadline passed. `cancelled`: the caller aborted its signal. `unreachable`:
 * the connection failed before the response was complete. `malformed`: the response did not come from this service but,
 * for example, from a proxy.
 */
export type NoAnswerReason = "timeout" | "cancelled" | "unreachable" | "malformed";

/** No usable response arrived. The message never contains the request. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly reason: NoAnswerReason;
  /** HTTP status of a malformed response; null if there was no response. */
  readonly status: number | null;

  constructor(
    reason: NoAnswerReason,
    message: string,
    more: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.reason = reason;
    this.status = more.status ?? null;
  }
}
