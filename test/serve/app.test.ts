import { createApp } from "../../serve/app.js";
import { ApiSettings } from "../../serve/settings.js";
import { assert, test, throws } from "../support/test.js";
import { fixtureRouter } from "./support/fixture-router.js";
import { goodBody, grantAll, post, productionSettings, withServer } from "./support/http.js";

test("a production router needs production settings", () => {
  const router = fixtureRouter();
  throws(() => createApp(router, { authorizer: grantAll }), "PRODUCTION_CONFIGURATION");
  throws(() => createApp(router), "PRODUCTION_CONFIGURATION");
  const development = { authorizer: grantAll, settings: ApiSettings.development() };
  throws(() => createApp(router, development), "PRODUCTION_CONFIGURATION");
});

test("production settings need an authorizer", () => {
  throws(() => createApp(fixtureRouter(), { settings: productionSettings }), "PRODUCTION_CONFIGURATION");
  const development = fixtureRouter({ mode: "development" });
  throws(() => createApp(development, { settings: productionSettings }), "PRODUCTION_CONFIGURATION");
});

test("a development router runs without options, and takes the client's list as it is", async () => {
  const router = fixtureRouter({ mode: "development" });
  const app = createApp(router);
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  try {
    const answer = await post(base, { text: "block my card" });
    assert.equal([answer.status, answer.body["decision"]], [200, "ROUTE"]);
    await post(base, { ...goodBody, allowed_workflow_ids: ["card.order"] });
  } finally {
    app.server.closeAllConnections();
    await app.close();
  }
  assert.is(router.seen[0]?.allowed_workflow_ids, null);
  assert.equal(router.seen[1]?.allowed_workflow_ids, ["card.order"]);
});

test("closing the application leaves the router open", async () => {
  const router = fixtureRouter();
  await withServer(router, {}, async (base) => void (await post(base, goodBody)));
  assert.is(router.closed.count, 0);
});
