import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createApp } from "../../../serve/app.js";
import { addOverloadGuard } from "../../../serve/plugins/overload-guard.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { goodBody, grantAll, post, productionSettings, send } from "../support/http.js";

const test = suite("serve/plugins/overload-guard");

/** A real server with limits 10 and 100, whose load the test sets. */
async function loaded(use: (base: string, load: { waiting: number; delayMs: number }) => Promise<void>): Promise<void> {
  const load = { waiting: 0, delayMs: 0 };
  const app = createApp(fixtureRouter(), { authorizer: grantAll, settings: productionSettings });
  const limits = { maxWaiting: 10, maxEventLoopDelayMs: 100 };
  addOverloadGuard(app, limits, { waiting: () => load.waiting, eventLoopDelayMs: () => load.delayMs });
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  try {
    await use(base, load);
  } finally {
    app.server.closeAllConnections();
    await app.close();
  }
}

test("at the limits requests are answered", () =>
  loaded(async (base, load) => {
    Object.assign(load, { waiting: 10, delayMs: 100 });
    assert.is((await post(base, goodBody)).status, 200);
  }));

for (const [name, over] of [
  ["too many waiting runs", { waiting: 11 }],
  ["a late event loop", { delayMs: 101 }],
] as const) {
  test(`${name}: 503 with Retry-After before the body is read, health goes on, and recovery is at once`, () =>
    loaded(async (base, load) => {
      Object.assign(load, over);
      const refused = await post(base, goodBody);
      assert.equal(
        [refused.status, refused.body["code"], refused.headers["retry-after"], refused.headers["content-type"]],
        [503, "SERVER_OVERLOADED", "1", "application/problem+json"],
      );
      assert.is(refused.headers["x-content-type-options"], "nosniff");
      assert.is((await post(base, "not json")).status, 503);
      assert.is((await send(base, { path: "/health/ready" })).status, 200);
      assert.is((await send(base, { path: "/nowhere" })).status, 404);
      Object.assign(load, { waiting: 0, delayMs: 0 });
      assert.is((await post(base, goodBody)).status, 200);
    }));
}

test.run();
