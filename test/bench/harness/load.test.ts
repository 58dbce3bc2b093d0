/** Benches over HTTP count an answer only where it is the decision of its request. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decisionsAlone, load } from "../../../bench/harness/load.js";
import { assert, test } from "../../support/test.js";

const routed = { decision: "ROUTE", workflow_id: "a", reason_code: "ACCEPTED_LOW_RISK" };
const unavailable = { decision: "LLM_REQUIRED", workflow_id: null, reason_code: "BACKEND_UNAVAILABLE" };

/** A server that answers what `answer` gives, from the number of the request on. */
async function asking<T>(answer: (count: number) => object, use: (port: number) => Promise<T>): Promise<T> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.end(JSON.stringify(answer(count++))));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("a server that soon answers nothing but that its backend is unavailable, or another workflow, has no decisions", async () => {
  for (const other of [unavailable, { ...routed, workflow_id: "b" }]) {
    const result = await asking(
      (count) => (count === 0 ? routed : other),
      async (port) => {
        const bodies = ["{}"];
        const decisions = await decisionsAlone(port, bodies);
        return load({ port, bodies, decisions, connections: 2, seconds: 0.1, rate: null });
      },
    );
    assert.ok(result.answers > 0 && result.notOk === 0);
    assert.equal([result.otherDecisions, result.decisionsPerSec], [result.answers, 0]);
  }
});

test("a server that decides as before is counted in full", async () => {
  const result = await asking(
    (count) => ({ ...routed, latency_ms: count }),
    async (port) => {
      const bodies = ["{}", "{ }"];
      const decisions = await decisionsAlone(port, bodies);
      return load({ port, bodies, decisions, connections: 2, seconds: 0.1, rate: null });
    },
  );
  assert.is(result.otherDecisions, 0);
  assert.is(result.decisionsPerSec, result.requestsPerSec);
});

test("a server that cannot decide is not measured", async () => {
  await asking(
    () => unavailable,
    (port) =>
      decisionsAlone(port, ["{}"]).then(
        () => assert.unreachable(),
        (thrown: Error) => assert.match(thrown.message, "BACKEND_UNAVAILABLE"),
      ),
  );
});
