import type { FastifyInstance } from "fastify";
import { repeatsName } from "../../src/base/json-names.js";
import { InvalidBody } from "../error-reply.js";

/** Parses JSON bodies (RFC 8259) in UTF-8; an object must not repeat a name. Other media types have no parser. */
export function addJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, bytes: Buffer, done) => {
    try {
      done(null, parseJsonBody(bytes));
    } catch (thrown) {
      done(thrown as Error, undefined);
    }
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** @throws {InvalidBody} */
export function parseJsonBody(bytes: Uint8Array): unknown {
  const text = decoded(bytes);
  const value = parsed(text);
  if (repeatsName(text, value)) throw invalid("must name each field of an object once");
  if (surrogateEscape.test(text) && !isWellFormed(value)) throw invalid("must not contain half of a surrogate pair");
  return value;
}

function invalid(rule: string): InvalidBody {
  return new InvalidBody([{ path: "", rule }]);
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid("must be valid UTF-8");
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("must be a JSON document");
  }
}

/** Only an escape can put ill-formed text into valid UTF-8. */
const surrogateEscape = /\\u[dD][89a-fA-F]/u;

const loneSurrogate = /\p{Surrogate}/u;

/** Whether every name and text of a parsed value is well-formed Unicode. */
function isWellFormed(value: unknown): boolean {
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string" && loneSurrogate.test(next)) return false;
    if (typeof next !== "object" || next === null) continue;
    for (const [name, item] of Object.entries(next)) rest.push(name, item);
  }
  return true;
}
