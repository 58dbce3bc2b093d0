import { request } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startControlServer } from "../../../serve/control/control-server.js";
import { LiveRisk, type LiveRiskState } from "../../../serve/drift/live-risk.js";
import type { BundleId } from "../../../src/documents/primitives.js";
import { aClaim, aMonitoredCalibration, anEvent } from "../drift/live-fixtures.js";
import { assert, test } from "../../support/test.js";

const noManager = {
  replace: () => Promise.reject(new Error("not asked")),
  rollback: () => Promise.reject(new Error("not asked")),
  checkedSnapshot: () => assert.unreachable() as never,
};

/** Sends one request to the control address. */
function send(
  socketPath: string,
  method: string,
  body?: unknown,
): Promise<{ status: number; json: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: "/v1/outcomes", method }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, json: JSON.parse(Buffer.concat(parts).toString("utf8")) }),
      );
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

test("outcomes by request id are counted at the control address, and the state says which requests to label next", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-control-"));
  const socket = join(folder, "control.sock");
  const active = { bundleId: "b1" as BundleId, monitor: aMonitoredCalibration([aClaim({ target_risk: 0.1 })]) };
  const risk = new LiveRisk({ active: () => active, seed: Buffer.from("seed") });
  for (let i = 0; i < 30; i += 1) risk.emit(anEvent(`r${i}`));
  const close = await startControlServer(socket, noManager, risk);
  try {
    const before = await send(socket, "GET");
    assert.is(before.status, 200);
    const [claim] = before.json["claims"] as LiveRiskState["claims"];
    assert.equal([claim?.limit, claim?.labels, claim?.verdict], [0.1, 0, "cannot_say_yet"]);
    const [next] = before.json["next"] as string[];
    const outcomes = [
      { request_id: next, wrong: true },
      { request_id: "nobody", wrong: false },
    ];
    const after = await send(socket, "POST", { outcomes });
    assert.equal([after.json["counted"], after.json["ignored"]], [1, 1]);
    assert.is((after.json["claims"] as LiveRiskState["claims"])[0]?.wrong, 1);
    assert.not((after.json["next"] as string[]).includes(next ?? ""));
    assert.is((await send(socket, "POST", { outcomes: [{ request_id: "r1", text: "my words" }] })).status, 422);
    assert.is((await send(socket, "DELETE")).status, 404);
  } finally {
    await close();
    await rm(folder, { recursive: true });
  }
});
