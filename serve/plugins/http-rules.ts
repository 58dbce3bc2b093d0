import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { SluiceError } from "../../src/errors/error.js";

/** Longest path with query, characters; RFC 9110 (section 4.1) recommends at least 8,000. */
const maxTargetLength = 8000;

/**
 * Before the body is read, refuses valid HTTP that this server does not accept: two Host headers, a target that names
 * another host, an overlong target, expectations, encodings.
 */
export function addHttpRules(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    const failure = brokenRule(request);
    if (failure?.code === "MEDIA_TYPE_UNSUPPORTED") reply.header("accept-encoding", "identity");
    done(failure ?? undefined);
  });
}

function brokenRule({ raw, headers }: FastifyRequest): SluiceError | null {
  const { url = "" } = raw;
  if (url.length > maxTargetLength) {
    return new SluiceError(
      "TARGET_TOO_LONG",
      `the target has ${url.length} characters, at most ${maxTargetLength} are allowed`,
    );
  }
  if (hostCount(raw) > 1) return new SluiceError("REQUEST_MALFORMED", "the request has more than one Host header");
  if (!url.startsWith("/") && namesAnotherHost(url, headers.host)) {
    return new SluiceError("REQUEST_MALFORMED", "the target and the Host header name different hosts");
  }
  if (!isAbsentOr(headers["transfer-encoding"], "chunked")) {
    return new SluiceError("TRANSFER_ENCODING_UNSUPPORTED", "the transfer encoding is not chunked");
  }
  if (!isAbsentOr(headers.expect, "100-continue")) {
    return new SluiceError("EXPECTATION_FAILED", "the expectation is not 100-continue");
  }
  if (!isAbsentOr(headers["content-encoding"], "identity")) {
    return new SluiceError("MEDIA_TYPE_UNSUPPORTED", "the body is compressed");
  }
  return null;
}

const isAbsentOr = (value: string | undefined, expected: string): boolean =>
  value === undefined || value.trim().toLowerCase() === expected;

/** From the raw headers: of several Host headers the parsed ones keep the first only. */
function hostCount({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
}

/** Whether an absolute target (RFC 9112, section 3.2.2) has another host or port than the Host header. */
function namesAnotherHost(target: string, host: string | undefined): boolean {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/(?<authority>[^/?#]*)/iu.exec(target)?.groups?.["authority"];
  return authority !== undefined && authority.toLowerCase() !== host?.toLowerCase();
}
