import { startDevelopmentServer } from "../../serve/start-development.js";
import { silentSink } from "../../src/router/telemetry/sink.js";
import { assert, test } from "../support/test.js";
import { modelRouter } from "./support/contract-world.js";
import { send } from "./support/http.js";

test("the address that a development server listens on is a trusted host, and no other one is", async () => {
  const server = await startDevelopmentServer(
    await modelRouter("development"),
    { host: "127.0.0.2", port: 0 },
    silentSink,
  );
  try {
    assert.match(server.address, /^http:\/\/127\.0\.0\.2:/u);
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await send(server.address, { body: { text: "where is my order" }, headers })).status;
    assert.is(await status({}), 200);
    assert.is(await status({ host: "localhost" }), 200);
    assert.is(await status({ host: "127.0.0.3" }), 400);
  } finally {
    await server.end();
  }
});
