/** What the specification says about the service as a whole: what it leaves to others and what it has not. Checks of serve/contract. */
import * as assert from "uvu/assert";
import { openApiDocument } from "../../../serve/openapi/document.js";
import type { Check } from "./contract-world.js";
import { post, send } from "./http.js";
import { assertProblem } from "./problem.js";

export const serviceChecks: Readonly<Record<string, Check>> = {
  "the service itself neither requests nor checks credentials": async (world) => {
    const plain = await post(world.base, { ...world.good, request_id: "r" });
    for (const authorization of ["Bearer nonsense", "Basic Og==", "nonsense"]) {
      const answer = await post(world.base, { ...world.good, request_id: "r" }, { authorization, cookie: "session=1" });
      assert.is(answer.status, 200);
      assert.equal({ ...answer.body, latency_ms: 0 }, { ...plain.body, latency_ms: 0 });
      assert.is(answer.headers["www-authenticate"], undefined);
      assert.is(answer.headers["set-cookie"], undefined);
    }
  },

  "the operations are the four of the specification and the shortlist, without any subscription to events": async (
    world,
  ) => {
    const operations = Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const specified = ["get /health", "get /health/live", "get /health/ready", "post /v1/route"];
    assert.equal(operations.sort(), [...specified, "post /v1/shortlist"]);
    for (const path of ["/v1/events", "/events", "/v1/subscriptions", "/v2/route", "/route", "/metrics"]) {
      assertProblem(await send(world.base, { path }), 404, "NOT_FOUND");
    }
    const streamed = await post(world.base, world.good, { accept: "text/event-stream" });
    assert.match(String(streamed.headers["content-type"]), /^application\/json/);
  },

  "bodies are JSON on every path": async (world) => {
    for (const path of ["/health", "/health/live", "/health/ready"]) {
      assert.match(String((await send(world.base, { path })).headers["content-type"]), /^application\/json/);
    }
    assert.match(String((await post(world.base, world.good)).headers["content-type"]), /^application\/json/);
    const error = await post(world.base, {});
    assert.is(error.headers["content-type"], "application/problem+json");
  },

  "a list of the client widens nothing": async (world) => {
    const body = { ...world.good, text: "my account is locked", allowed_workflow_ids: ["accounts.unlock"] };
    assert.is((await post(world.base, body)).body["reason_code"], "NO_ELIGIBLE_WORKFLOW");
    const auditor = await post(world.base, body, { "x-user": "auditor" });
    assert.equal([auditor.body["decision"], auditor.body["workflow_id"]], ["ROUTE", "accounts.unlock"]);
  },

  "a catalog version of another case or with more characters differs": async (world) => {
    for (const catalog_version of ["Catalog-1", "catalog-1.0", "catalog"]) {
      assert.is((await post(world.base, { ...world.good, catalog_version })).status, 409, catalog_version);
    }
    assert.is((await post(world.base, { ...world.good, catalog_version: " catalog-1 " })).status, 200);
  },
};
