import { RouterRuntime } from "../../src/router/runtime.js";
import { localAuthorizer } from "../../serve/authorizer.js";
import { isLoopbackAddress } from "../../serve/listen.js";
import { assert, test, throws } from "../support/test.js";
import { fixtureRouter } from "./support/fixture-router.js";
import { goodBody, post, withServer } from "./support/http.js";

test("local callers may use every workflow of the active bundle, and no other", async () => {
  const router = fixtureRouter();
  const runtime = new RouterRuntime(router);
  await withServer(runtime, { authorizer: localAuthorizer(runtime, "127.0.0.1") }, async (base) => {
    const body = { ...goodBody, allowed_workflow_ids: ["card.order", "card.block", "card.unknown"] };
    assert.is((await post(base, body)).status, 200);
  });
  assert.equal(router.seen[0]?.allowed_workflow_ids, ["card.order", "card.block"]);
});

test("an address that other machines can reach is refused", () => {
  const runtime = new RouterRuntime(fixtureRouter());
  for (const host of ["0.0.0.0", "::", "192.168.1.2", "router.example.com", "127.example.com", ""]) {
    const error = throws(() => localAuthorizer(runtime, host), "PRODUCTION_CONFIGURATION");
    assert.match(error.hint ?? "", /--authorizer/);
  }
});

test("loopback is 127/8, ::1, their mapped form and localhost", () => {
  for (const address of ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "localhost"]) {
    assert.ok(isLoopbackAddress(address), address);
  }
  for (const address of ["128.0.0.1", "::ffff:10.0.0.1", "::2", "127.0.0.1.evil.example"]) {
    assert.not(isLoopbackAddress(address), address);
  }
});
