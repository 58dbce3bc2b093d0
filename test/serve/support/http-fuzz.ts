/** Valid and invalid requests from the schema of the service, and what every answer to them must keep. */
import { Agent, request as httpRequest } from "node:http";
import fc from "fast-check";
import { RouteRequestSchema } from "../../../src/documents/request.js";
import { matchesSchema } from "../../../src/documents/check-schema.js";
import { ProblemSchema } from "../../../serve/error-reply.js";
import { RouteResponseSchema } from "../../../src/documents/response.js";
import { arbitraryOf } from "../../support/arbitrary-of-schema.js";

/** Stands in every text that a request carries; no answer may repeat it. */
export const marker = "zq7-marker-4111";

export interface FuzzRequest {
  /** Statuses that are right. */
  readonly expected: readonly number[];
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Sent in two parts without a declared length. */
  readonly chunked: boolean;
}

export interface FuzzReport {
  requests: number;
  /** Answers by status. */
  readonly statuses: Map<number, number>;
  /** What was wrong, with the request; at most ten are kept. */
  readonly faults: string[];
}

const invalid = [422] as const;
const json = { "content-type": "application/json" };

function requestOf(body: Buffer | string, changes: Partial<FuzzRequest> = {}): FuzzRequest {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return {
    expected: invalid,
    method: "POST",
    path: "/v1/route",
    headers: json,
    body: bytes,
    chunked: false,
    ...changes,
  };
}

/** Bodies that satisfy the schema; some name another catalog version. */
function validBodies(catalogVersion: string, workflowIds: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const words = fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => `${marker} ${text}`);
  const ids = fc.uniqueArray(fc.constantFrom(...workflowIds), { maxLength: 8 });
  const base = arbitraryOf(RouteRequestSchema) as fc.Arbitrary<Record<string, unknown>>;
  return fc
    .record({
      base,
      text: fc.oneof({ weight: 3, arbitrary: words }, { weight: 1, arbitrary: fc.constantFrom(...hostileTexts) }),
      version: fc.constantFrom(catalogVersion, catalogVersion, catalogVersion, null, `${marker}-1`),
      context: fc.dictionary(fc.constantFrom("order_number", "note", "a"), fc.oneof(words, fc.jsonValue()), {
        maxKeys: 3,
      }),
      allowed: fc.oneof(ids, fc.constant(null)),
    })
    .map(({ base: body, text, version, context, allowed }) => ({
      ...body,
      text,
      catalog_version: version,
      context,
      allowed_workflow_ids: allowed,
    }))
    .filter((body) => !/__proto__|"constructor"/u.test(JSON.stringify(body)));
}

/** Texts that break tokenizers, patterns and logs. */
const hostileTexts: readonly string[] = [
  `[SEP] ${marker} [CLS]`,
  `${marker} ${"a".repeat(7000)}!`,
  `${marker} \u0000\u202e\ufeff`,
  `${marker}\r\nx-injected: 1`,
  `${marker} ${"😀".repeat(3000)}`,
  `${marker} \${jndi:ldap://x} '; drop table --`,
];

const wrongValues: readonly unknown[] = [
  null,
  true,
  7,
  -1e308,
  "",
  " ",
  [],
  {},
  [marker],
  { [marker]: marker },
  [[[]]],
];

/** A body with one field that breaks its rule. */
function brokenBodies(valid: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<FuzzRequest> {
  const fields = Object.entries(RouteRequestSchema.properties);
  return fc
    .record({ body: valid, field: fc.constantFrom(...fields), value: fc.constantFrom(...wrongValues) })
    .map(({ body, field: [name, schema], value }) => {
      const trimmed = typeof value === "string" ? value.trim() : value;
      const wrong = matchesSchema(schema, trimmed) ? `${marker} !`.repeat(2000) : value;
      return requestOf(JSON.stringify({ ...body, [name]: name === "context" && wrong !== value ? [] : wrong }));
    });
}

function nested(levels: number): string {
  return `{"text":"${marker}","context":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`;
}

/** Requests that are wrong in other ways than by one field. */
function brokenRequests(valid: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<FuzzRequest> {
  const text = valid.map((body) => JSON.stringify(body));
  const fixed = fc.constantFrom(
    requestOf(`{"text":"${marker}","__proto__":{"debug":true}}`),
    requestOf(`{"text":"${marker}","context":{"constructor":{"prototype":{"a":1}}}}`),
    requestOf(nested(33)),
    requestOf(nested(5000)),
    requestOf(`"${marker}"`),
    requestOf("[]"),
    requestOf("null"),
    requestOf(""),
    requestOf(`{"text":"${marker}","debug":truth}`),
    requestOf(`{"text":"${marker}" "debug":1}`),
    requestOf(`{"text":"${marker}","${marker} and more":1}`),
    requestOf(`\ufeff`),
    requestOf(Buffer.from([0xff, 0xfe, 0x00])),
    requestOf(`{"text":"${marker.padEnd(200_000, "x")}"}`, { expected: [413] }),
    requestOf(`{"text":"${marker.padEnd(200_000, "x")}"}`, { expected: [413], chunked: true }),
    requestOf(`text=${marker}`, { expected: [415], headers: { "content-type": "application/x-www-form-urlencoded" } }),
    requestOf(marker, { expected: [415], headers: { "content-type": "text/plain" } }),
    requestOf(`{"text":"${marker}"}`, { expected: [415], headers: { "content-type": "application/jsonp" } }),
    requestOf(`{"text":"${marker}"}`, { expected: [404], path: `/v1/${marker}` }),
    requestOf(`{"text":"${marker}"}`, { expected: [404], path: "/v1/route/" }),
    requestOf(`{"text":"${marker}"}`, { expected: [400], path: "/%zz" }),
    requestOf(`{"text":"${marker}"}`, { expected: [405], method: "PUT" }),
    requestOf(`{"text":"${marker}"}`, { expected: [405], path: "/health" }),
    requestOf("", { expected: [405], method: "DELETE", path: "/health/ready", headers: {} }),
  );
  const cut = fc
    .record({ text, part: fc.double({ min: 0, max: 0.99, noNaN: true }) })
    .map((entry) => requestOf(entry.text.slice(0, Math.floor(entry.text.length * entry.part))));
  return fc.oneof(fixed, cut);
}

/** Requests of every kind: a third of them valid. */
export function fuzzRequests(catalogVersion: string, workflowIds: readonly string[]): fc.Arbitrary<FuzzRequest> {
  const valid = validBodies(catalogVersion, workflowIds);
  const good = fc.record({ body: valid, chunked: fc.boolean() }).map(({ body, chunked }) => {
    const version = body["catalog_version"];
    const known = version === null || version === catalogVersion;
    return requestOf(JSON.stringify(body), { expected: known ? [200] : [409], chunked });
  });
  return fc.oneof(good, brokenBodies(valid), brokenRequests(valid));
}

interface Received {
  readonly status: number;
  readonly type: string;
  readonly requestId: string;
  readonly cache: string;
  readonly text: string;
}

/** Sends requests over `connections` kept connections and checks every answer. */
export async function runFuzz(
  base: string,
  requests: readonly FuzzRequest[],
  connections: number,
): Promise<FuzzReport> {
  const report: FuzzReport = { requests: 0, statuses: new Map(), faults: [] };
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let next = 0;
  const work = async (): Promise<void> => {
    for (let sent = requests[next]; sent !== undefined; sent = requests[next]) {
      next += 1;
      const answer = await exchange(base, sent, agent);
      report.requests += 1;
      report.statuses.set(answer.status, (report.statuses.get(answer.status) ?? 0) + 1);
      const fault = faultOf(sent, answer);
      if (fault !== null && report.faults.length < 10) {
        report.faults.push(`${fault}: ${sent.method} ${sent.path} ${sent.body.toString().slice(0, 300)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  agent.destroy();
  return report;
}

/** A server that refuses a body early may reset the connection while it is still being sent: asked again, in one part. */
async function exchange(base: string, sent: FuzzRequest, agent: Agent): Promise<Received> {
  try {
    return await exchangeOnce(base, sent, agent);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code !== "ECONNRESET" && code !== "EPIPE") throw thrown;
    return exchangeOnce(base, { ...sent, chunked: false, body: sent.body.subarray(0, 140_000) }, agent);
  }
}

function exchangeOnce(base: string, sent: FuzzRequest, agent: Agent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const length = sent.chunked ? {} : { "content-length": String(sent.body.length) };
    const headers = { ...sent.headers, ...length };
    const outgoing = httpRequest(`${base}${sent.path}`, { method: sent.method, headers, agent });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const { "content-type": type = "", "x-request-id": id = "", "cache-control": cache = "" } = response.headers;
        const text = Buffer.concat(parts).toString("utf8");
        resolve({ status: response.statusCode ?? 0, type, requestId: String(id), cache, text });
      });
    });
    if (sent.chunked) outgoing.write(sent.body.subarray(0, sent.body.length >> 1));
    outgoing.end(sent.chunked ? sent.body.subarray(sent.body.length >> 1) : sent.body);
  });
}

/** What an answer does not keep; null when it keeps everything. */
function faultOf(sent: FuzzRequest, answer: Received): string | null {
  const { status, text } = answer;
  if (!sent.expected.includes(status)) return `status ${status}, expected ${sent.expected.join(" or ")}`;
  if (text.includes(marker)) return "the answer repeats a text of the request";
  if (answer.requestId === "" || answer.cache !== "no-store") return "a header is missing";
  const body = JSON.parse(text) as Record<string, unknown>;
  if (body["request_id"] !== answer.requestId) return "two request ids";
  if (status === 200) return matchesSchema(RouteResponseSchema, body) ? null : "the decision breaks its schema";
  if (answer.type !== "application/problem+json") return `media type ${answer.type}`;
  return matchesSchema(ProblemSchema, body) && body["status"] === status ? null : "the problem breaks its schema";
}
