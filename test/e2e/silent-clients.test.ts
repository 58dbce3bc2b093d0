/** A real server with few descriptors, and more silent clients than it has. */
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { post, send } from "../serve/support/http.js";
import { parseExposition, sampleValue } from "../serve/support/parse-exposition.js";
import { openManySilent, type SilentKind } from "../serve/support/silent-clients.js";
import { realServer } from "../support/real-server.js";
import { orderRequest } from "../support/served-bundles.js";

const attacks: readonly (SilentKind | undefined)[] = [undefined, "silent", "half a body"];

test("450 silent clients against 400 descriptors: everybody else is served while they stay", () =>
  inTemporaryFolder(async (folder) => {
    const { address, metrics, end } = await realServer(folder, 'ulimit -n 400; exec "$@" > /dev/null');
    try {
      for (const kind of attacks) {
        const silent = await openManySilent(address, 450, kind);
        for (let i = 0; i < 20; i += 1) {
          assert.is((await send(address, { path: "/health/live" })).status, 200, kind);
          assert.is((await post(address, orderRequest(1))).body["decision"], "ROUTE", kind);
        }
        const families = parseExposition(await (await fetch(`${metrics}/metrics`)).text());
        assert.ok((sampleValue(families, "sluice_connections_open") ?? 1000) < 400 - 128, kind);
        assert.ok((sampleValue(families, "sluice_connections_closed_for_room_total") ?? 0) > 0, kind);
        for (const socket of silent) socket.destroy();
      }
    } finally {
      assert.is(await end(), 0);
    }
  }));
