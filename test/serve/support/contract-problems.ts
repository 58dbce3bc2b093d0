/** Every problem of the service, as checks of serve/contract. */
import * as assert from "uvu/assert";
import type { ErrorCode } from "../../../src/base/error-codes.js";
import { openApiDocument } from "../../../serve/openapi/document.js";
import { withRoute } from "../../../src/router/telemetry/observe-router.js";
import { docPage, docSection } from "../../support/doc-page.js";
import type { Check, ContractWorld } from "./contract-world.js";
import { type Answer, post, send } from "./http.js";
import { assertProblem } from "./problem.js";

/** In every request, and never in an answer. */
const secret = "my card 4111 0000";

type Ask = (world: ContractWorld) => Promise<Answer>;

const ask = ({ base, good }: ContractWorld, headers: Record<string, string>, change: object = {}): Promise<Answer> =>
  post(base, { ...good, text: secret, ...change }, headers);
const as =
  (user: string): Ask =>
  (world) =>
    ask(world, { "x-user": user });

/** A router whose own code fails while it answers. */
async function failing(world: ContractWorld): Promise<Answer> {
  const { runtime } = world;
  const { generation, router } = runtime.snapshot();
  const broken = withRoute(router, () => Promise.reject(new TypeError(secret)));
  runtime.replace(broken, { expectedGeneration: generation });
  try {
    return await ask(world, {});
  } finally {
    runtime.rollback({ expectedGeneration: generation + 1 });
  }
}

/** As deep as a body may be long, which would spend the stack of whoever walks it by recursion. */
const deep = `${"[".repeat(60_000)}${"]".repeat(60_000)}`;

const chunks = ['{"text":"', ...Array.from({ length: 20 }, () => secret.repeat(500)), '"}'];

const problems: readonly (readonly [name: string, status: number, code: ErrorCode, ask: Ask])[] = [
  ["another host", 400, "HOST_NOT_TRUSTED", (world) => ask(world, { host: "evil.example" })],
  ["a path that cannot be decoded", 400, "REQUEST_MALFORMED", ({ base }) => send(base, { path: "/%zz" })],
  ["a caller who is denied", 403, "AUTHORIZATION_DENIED", as("eve")],
  ["an unknown path", 404, "NOT_FOUND", ({ base }) => send(base, { path: "/v2/route", body: { text: secret } })],
  ["another method", 405, "METHOD_NOT_ALLOWED", ({ base }) => send(base, { method: "PUT", body: { text: secret } })],
  ["another catalog", 409, "CATALOG_VERSION_MISMATCH", (world) => ask(world, {}, { catalog_version: "catalog-0" })],
  [
    "a declared length over the limit",
    413,
    "REQUEST_TOO_LARGE",
    (world) => ask(world, {}, { text: secret.repeat(9000) }),
  ],
  ["a streamed body over the limit", 413, "REQUEST_TOO_LARGE", ({ base }) => send(base, { chunks })],
  ["another media type", 415, "MEDIA_TYPE_UNSUPPORTED", (world) => ask(world, { "content-type": "text/plain" })],
  ["no JSON", 422, "REQUEST_INVALID", ({ base }) => post(base, `{"text":"${secret}"`)],
  ["an unknown field", 422, "REQUEST_INVALID", (world) => ask(world, {}, { colour: secret })],
  [
    "a poisoned prototype",
    422,
    "REQUEST_INVALID",
    ({ base }) => post(base, `{"text":"${secret}","__proto__":{"debug":true}}`),
  ],
  ["60,000 levels", 422, "REQUEST_INVALID", ({ base }) => post(base, `{"text":"${secret}","context":{"a":${deep}}}`)],
  [
    "60,000 levels in an unknown field",
    422,
    "REQUEST_INVALID",
    ({ base }) => post(base, `{"text":"x","more":${deep}}`),
  ],
  [
    "60,000 levels in a list of ids",
    422,
    "REQUEST_INVALID",
    ({ base }) => post(base, `{"text":"x","blocked_workflow_ids":${deep}}`),
  ],
  ["a list from nobody", 500, "AUTHORIZATION_FAILED", as("nonsense")],
  ["a fault of the router", 500, "INTERNAL", failing],
  ["an authorizer that fails", 503, "AUTHORIZATION_UNAVAILABLE", as("crash")],
  ["an authorizer that never answers", 503, "AUTHORIZATION_UNAVAILABLE", as("never")],
];

/** Checks by the name, status and code of the problem. */
export const problemChecks: Readonly<Record<string, Check>> = Object.fromEntries(
  problems.map(([name, status, code, of]) => [
    `${name}: ${status} ${code}`,
    async (world: ContractWorld) => {
      const answer = await of(world);
      assertProblem(answer, status, code);
      assert.not.match(answer.text, secret);
      assert.is(answer.headers["retry-after"], status === 503 ? "1" : undefined);
      assert.is((await post(world.base, world.good)).status, 200, "the next request is answered");
    },
  ]),
);

/** Codes tested elsewhere: serve/http-standards, serve/slow-clients, serve/plugins/load-shedding. */
const elsewhere = [
  "EXPECTATION_FAILED",
  "HEADERS_TOO_LARGE",
  "REQUEST_TIMEOUT",
  "SERVER_OVERLOADED",
  "TARGET_TOO_LONG",
  "TRANSFER_ENCODING_UNSUPPORTED",
];

/** The description, the page and these checks name the same codes. */
export function sameCodesEverywhere(): void {
  const tested = [...new Set([...problems.map(([, , code]) => code), ...elsewhere])].sort();
  const page = docSection(docPage("reference/http.md"), "Asking for a route");
  const documented = [...page.matchAll(/^\| \d{3} \| `([A-Z_]+)` \|/gmu)].map(([, code = ""]) => code);
  assert.equal(documented.sort(), tested);
  const responses = Object.values(openApiDocument().paths["/v1/shortlist"]?.["post"]?.responses ?? {});
  const described = responses.flatMap(({ description }) =>
    [...description.matchAll(/([A-Z_]{6,}):/gu)].map(([, c]) => c),
  );
  // Requests to other paths and methods belong to no operation.
  const outside = ["METHOD_NOT_ALLOWED", "NOT_FOUND"];
  assert.equal(new Set(described), new Set(tested.filter((code) => !outside.includes(code))));
}
