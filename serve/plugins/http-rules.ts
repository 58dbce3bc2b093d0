import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { SluiceError } from "../../src/base/error.js";
import { useRequestId } from "../request-state.js";

/** Maximum length of path and query in characters; RFC 9110 (section 4.1) recommends supporting at least 8,000. */
const maxTargetLength = 8000;

/** Headers that must not be repeated, because intermediaries may pick different occurrences. */
const singleHeaders: ReadonlySet<string> = new Set([
  "authorization",
  "content-length",
  "content-type",
  "host",
  "origin",
  "proxy-authorization",
]);

/** Refuses valid HTTP that this server does not accept, on every path and method, before the body is read. */
export function addHttpRules(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    const failure = brokenRule(request.raw);
    if (failure?.code === "MEDIA_TYPE_UNSUPPORTED") reply.header("accept-encoding", "identity");
    done(failure ?? undefined);
  });
}

/**
 * The transport rule that a request breaks, or null. Refused are repeated headers, a foreign or overlong target, and an
 * unsupported expectation, transfer coding, compression or charset.
 */
export function brokenRule({ url = "", headers, rawHeaders }: IncomingMessage): SluiceError | null {
  if (url.length > maxTargetLength) {
    return new SluiceError(
      "TARGET_TOO_LONG",
      `the target has ${url.length} characters, at most ${maxTargetLength} are allowed`,
    );
  }
  const repeated = repeatedHeader(rawHeaders);
  if (repeated !== null)
    return new SluiceError("REQUEST_MALFORMED", `the request has more than one ${repeated} header`);
  if (!url.startsWith("/") && namesAnotherHost(url, headers.host)) {
    return new SluiceError("REQUEST_MALFORMED", "the target and the Host header name different hosts");
  }
  if (!isAbsentOr(headers["transfer-encoding"], "chunked")) {
    return new SluiceError("TRANSFER_ENCODING_UNSUPPORTED", "the transfer encoding is not chunked");
  }
  if (!isAbsentOr(headers.expect, "100-continue")) {
    return new SluiceError("EXPECTATION_FAILED", "the expectation is not 100-continue");
  }
  return brokenEncoding(headers);
}

function brokenEncoding(headers: IncomingMessage["headers"]): SluiceError | null {
  if (!isAbsentOr(headers["content-encoding"], "identity")) {
    return new SluiceError("MEDIA_TYPE_UNSUPPORTED", "the body is compressed");
  }
  const charset = /;\s*charset\s*=\s*"?(?<name>[^\s;"]*)/iu.exec(headers["content-type"] ?? "")?.groups?.["name"];
  if (isAbsentOr(charset, "utf-8")) return null;
  return new SluiceError("MEDIA_TYPE_UNSUPPORTED", "the charset of the body is not UTF-8");
}

const isAbsentOr = (value: string | undefined, expected: string): boolean =>
  value === undefined || value.trim().toLowerCase() === expected;

/** Reads the raw headers, because the parsed ones contain only the first of several with the same name. */
function repeatedHeader(rawHeaders: readonly string[]): string | null {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}

/** Whether an absolute target (RFC 9112, section 3.2.2) has another host or port than the Host header. */
function namesAnotherHost(target: string, host: string | undefined): boolean {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/(?<authority>[^/?#]*)/iu.exec(target)?.groups?.["authority"];
  return authority !== undefined && authority.toLowerCase() !== host?.toLowerCase();
}

/**
 * Sends the request id in the response: the one in the request header, or a generated one. The body may replace it
 * later.
 */
export function addRequestId(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    useRequestId(request, reply, request.id);
    done();
  });
}

/** Security headers of every response: no type sniffing, framing, scripts, external content or caching. */
export const securityHeaders = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
} as const;

export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
}

/**
 * Sends `100 Continue` once every hook has accepted the headers and the body is about to be read, so that a refused
 * request gets its error response first. Hooks refuse other expectations.
 */
export function addExpectation(app: FastifyInstance): void {
  const waiting = new WeakSet<IncomingMessage>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    app.server.emit("request", request, response);
  };
  app.server.on("checkContinue", (request, response) => {
    waiting.add(request);
    handle(request, response);
  });
  app.server.on("checkExpectation", handle);
  app.addHook("preParsing", (request, reply, _payload, done) => {
    if (waiting.has(request.raw)) reply.raw.writeContinue();
    done();
  });
}
