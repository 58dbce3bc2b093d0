import { LoggingTelemetrySink } from "../../../src/router/telemetry/logging-sink.js";
import { observeRouter } from "../../../src/router/telemetry/observe-router.js";
import type { TelemetryEvent } from "../../../src/router/telemetry/sink.js";
import { assert, test } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { goodBody, post, RecordingSink, send, withServer } from "../support/http.js";

test("each exchange is one event with codes and durations", async () => {
  const telemetry = new RecordingSink();
  await withServer(fixtureRouter(), { telemetry }, async (base) => {
    await post(base, { ...goodBody, request_id: "r1" });
    const event = await telemetry.next("sluice.http");
    assert.ok(event.latency_ms > 0);
    assert.equal(event, {
      event: "sluice.http",
      request_id: "r1",
      header_request_id: null,
      method: "POST",
      route: "/v1/route",
      status_code: 200,
      error_code: null,
      error_cause: null,
      latency_ms: event.latency_ms,
      generation: 1,
      bundle_id: "b".repeat(64),
    });
    await post(base, {});
    const failed = await telemetry.next("sluice.http");
    assert.equal([failed.status_code, failed.error_code, failed.generation], [422, "REQUEST_INVALID", null]);
  });
});

test("no log line holds text, context, paths or queries of a caller", async () => {
  const secret = "card 4111 1111 of Ada";
  const lines: string[] = [];
  const logging = new LoggingTelemetrySink({ write: (line) => lines.push(line), clock: () => new Date(0) });
  const recording = new RecordingSink();
  const telemetry = {
    emit(event: TelemetryEvent) {
      logging.emit(event);
      recording.emit(event);
    },
  };
  await withServer(observeRouter(fixtureRouter(), telemetry), { telemetry }, async (base) => {
    await post(base, { ...goodBody, text: secret, context: { holder: secret } });
    await post(base, { text: secret, [secret]: secret, event_type: secret });
    await send(base, { path: `/v1/${encodeURIComponent(secret)}?q=${encodeURIComponent(secret)}` });
    for (let i = 0; i < 3; i += 1) await recording.next("sluice.http");
  });
  assert.is(lines.length, 4);
  assert.not.match(lines.join(""), /4111|Ada/);
  assert.match(lines.join(""), /"event":"sluice.decision"/);
  assert.match(lines.join(""), /"route":"\(none\)"/);
});

test("a failing sink does not change the answer", async () => {
  const telemetry = {
    emit: () => {
      throw new Error("disk full");
    },
  };
  await withServer(observeRouter(fixtureRouter(), telemetry), { telemetry }, async (base) => {
    assert.is((await post(base, goodBody)).status, 200);
    assert.is((await send(base, { path: "/health/ready" })).status, 200);
  });
});
