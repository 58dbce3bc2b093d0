import { spawnSync } from "node:child_process";
import type { BundleId } from "../../../../src/documents/primitives.js";
import { LoggingTelemetrySink } from "../../../../src/router/telemetry/logging-sink.js";
import type { HttpEvent } from "../../../../src/router/telemetry/sink.js";
import { assert, test } from "../../../support/test.js";

const exchange: HttpEvent = {
  event: "sluice.http",
  request_id: "r1",
  header_request_id: null,
  method: "POST",
  route: "/v1/route",
  status_code: 200,
  error_code: null,
  error_cause: null,
  latency_ms: 1.5,
  generation: 1,
  bundle_id: null,
};

function sinkInto(lines: string[]): LoggingTelemetrySink {
  return new LoggingTelemetrySink({
    write: (line) => lines.push(line),
    clock: () => new Date("2026-01-02T03:04:05Z"),
  });
}

test("an event is one JSON line with time, event and snake_case fields", () => {
  const lines: string[] = [];
  sinkInto(lines).emit(exchange);
  assert.is(lines.length, 1);
  assert.match(lines[0] ?? "", /^[^\n]+\n$/);
  assert.equal(JSON.parse(lines[0] ?? ""), {
    time: "2026-01-02T03:04:05.000Z",
    event: "sluice.http",
    request_id: "r1",
    header_request_id: null,
    method: "POST",
    route: "/v1/route",
    status_code: 200,
    error_code: null,
    error_cause: null,
    latency_ms: 1.5,
    generation: 1,
    bundle_id: null,
  });
});

test("fields that no event declares are dropped, so a text cannot slip in", () => {
  const lines: string[] = [];
  const careless = { ...exchange, text: "my secret", context: { iban: "DE00" } };
  sinkInto(lines).emit(careless);
  assert.not.match(lines.join(""), /secret|iban|DE00/);
});

test("backend events carry a code and no message", () => {
  const lines: string[] = [];
  const failure = {
    event: "sluice.backend",
    request_id: "r1",
    error_code: "MODEL_RUN_FAILED",
    bundle_id: "b" as BundleId,
  } as const;
  sinkInto(lines).emit(Object.assign({ message: "my secret" }, failure));
  const { time, ...line } = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
  assert.type(time, "string");
  assert.equal(line, { event: "sluice.backend", request_id: "r1", error_code: "MODEL_RUN_FAILED", bundle_id: "b" });
});

test("readiness events list their problems", () => {
  const lines: string[] = [];
  sinkInto(lines).emit({
    event: "sluice.readiness",
    ready: false,
    problems: ["EXPIRED: approvals ended"],
    generation: 2,
    bundle_id: "b" as BundleId,
  });
  const line = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
  assert.equal(line["problems"], ["EXPIRED: approvals ended"]);
  assert.is(line["generation"], 2);
});

test("a sink without arguments writes to standard output, with the time of the system", () => {
  const file = JSON.stringify(new URL("../../../../src/router/telemetry/logging-sink.js", import.meta.url).href);
  const program = `import { LoggingTelemetrySink } from ${file};
    new LoggingTelemetrySink().emit({ event: "sluice.log", lost_lines: 2 });`;
  const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  assert.is(status, 0);
  const { time, ...rest } = JSON.parse(stdout) as { readonly time: string };
  assert.equal(rest, { event: "sluice.log", lost_lines: 2 });
  assert.ok(Math.abs(new Date(time).getTime() - new Date().getTime()) < 3_600_000);
});
