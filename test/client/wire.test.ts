/** The client repeats names of the wire, so that it depends on nothing; here they are held against the server's own. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reasonCodes } from "../../client/answer.js";
import { problemCodes } from "../../client/problem.js";
import { reasonCodes as serverReasons } from "../../src/documents/decision.js";
import { RouteRequestSchema } from "../../src/documents/request.js";
import { openApiDocument } from "../../serve/openapi/document.js";
import { assert, packageRoot, test } from "../support/test.js";

test("reason codes stand under the decision that the server gives them", () => {
  const found = Object.entries(reasonCodes).flatMap(([decision, codes]) => codes.map((code) => [code, decision]));
  assert.equal(Object.fromEntries(found), serverReasons);
});

test("problem codes are those of the description, and those of paths and methods that it does not have", () => {
  const responses = Object.values(openApiDocument().paths["/v1/shortlist"]?.["post"]?.responses ?? {});
  const described = responses.flatMap(({ description }) =>
    [...description.matchAll(/([A-Z_]{6,}):/gu)].map(([, code = ""]) => code),
  );
  assert.equal(new Set(problemCodes), new Set([...described, "METHOD_NOT_ALLOWED", "NOT_FOUND"]));
});

test("a request has the fields of the server's schema", () => {
  const request = {
    text: "x",
    request_id: "r",
    context: {},
    catalog_version: "c",
    allowed_workflow_ids: [],
    blocked_workflow_ids: [],
    event_type: "e",
    previous: { workflow_id: "a" },
    language: "en",
    debug: true,
  };
  const sent = JSON.parse(JSON.stringify(request)) as object;
  assert.equal(Object.keys(sent).sort(), Object.keys(RouteRequestSchema.properties).sort());
  assert.equal(JSON.parse(JSON.stringify({ text: "x" })), { text: "x" });
});

test("no source of the client imports anything from outside of its folder", () => {
  const files = readdirSync(join(packageRoot, "client")).filter((file) => file.endsWith(".ts"));
  assert.ok(files.length > 5);
  for (const file of files) {
    const source = readFileSync(join(packageRoot, "client", file), "utf8");
    for (const [, target = ""] of source.matchAll(/(?:from|import)\s*\(?"([^"]+)"/gu))
      assert.match(target, /^\.\/[a-z-]+\.js$/);
  }
});
