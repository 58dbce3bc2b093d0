import type { ErrorCode } from "../src/base/error-codes.js";
import { SluiceError } from "../src/base/error.js";

export interface ParserError extends Error {
  readonly code?: string;
  readonly reason?: string;
  readonly rawPacket?: unknown;
  /** Number of bytes that the parser had read. */
  readonly bytesParsed?: number;
}

export class TunnelRequest extends Error {
  override readonly name = "TunnelRequest";
  readonly code = "SLUICE_TUNNEL";
}

const codes: ReadonlyMap<string, ErrorCode> = new Map([
  ["ERR_HTTP_REQUEST_TIMEOUT", "REQUEST_TIMEOUT"],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "REQUEST_TOO_LARGE"],
  ["SLUICE_TUNNEL", "METHOD_NOT_ALLOWED"],
]);

/** Maps a failure that occurred before a request existed to its public error. */
export function connectionFailure(error: ParserError): SluiceError {
  return new SluiceError(codeOf(error), "the bytes are not a valid HTTP request");
}

function codeOf(error: ParserError): ErrorCode {
  const { code = "", reason = "" } = error;
  if (code === "HPE_HEADER_OVERFLOW") return endsInTarget(error) ? "TARGET_TOO_LONG" : "HEADERS_TOO_LARGE";
  if (code === "HPE_INVALID_TRANSFER_ENCODING" && !reason.includes("Content-Length")) {
    return "TRANSFER_ENCODING_UNSUPPORTED";
  }
  return codes.get(code) ?? "REQUEST_MALFORMED";
}

/** Whether the parser stopped within the request target: after a method, or before the HTTP version. */
function endsInTarget({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString("latin1") : "";
  const line = text.slice(text.lastIndexOf("\n", Math.max(0, bytesParsed - 1)) + 1, bytesParsed);
  return /^[A-Z-]+ [^ :]/u.test(line) || text.startsWith(" HTTP/", bytesParsed);
}
