import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { assert, rejects, test } from "../support/test.js";
import { inServedFolder, orderRequest } from "../support/served-bundles.js";
import { post, send } from "./support/http.js";
import { parseExposition, sampleValue } from "./support/parse-exposition.js";
import { testWithTool } from "../support/external-tool.js";

test("the metrics of a real server follow what it does", () =>
  inServedFolder(async (served) => {
    const bundle = await served.bundle(1);
    const server = await served.start({ bundle, metricsPort: 0, shadow: await served.bundle(2) });
    const scrape = async () => {
      const response = await fetch(`${server.metricsAddress ?? ""}/metrics`);
      assert.is(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
      return parseExposition(await response.text());
    };
    await post(server.address, orderRequest(1));
    await post(server.address, orderRequest(1));
    await post(server.address, { ...orderRequest(1), catalog_version: "other" });
    await post(server.address, "no json");
    await send(server.address, { path: "/health" });
    const families = await scrape();
    const value = (name: string, labels = {}) => sampleValue(families, name, labels);
    const accepted = { decision: "ROUTE", reason_code: "ACCEPTED_LOW_RISK", tier: "low" };
    assert.is(value("sluice_decisions_total", accepted), 2);
    for (const stage of ["retrieve", "verify", "resolve", "decide"]) {
      assert.is(value("sluice_stage_duration_seconds_count", { stage }), 2, stage);
    }
    const conflict = { route: "/v1/route", status: "409", error_code: "CATALOG_VERSION_MISMATCH" };
    assert.is(value("sluice_http_requests_total", conflict), 1);
    assert.is(value("sluice_http_requests_total", { route: "/health", status: "200" }), 1);
    assert.is(value("sluice_http_request_duration_seconds_count", { route: "/v1/route" }), 4);
    assert.is(value("sluice_bundle_ready"), 1);
    assert.is(value("sluice_generation"), 1);
    assert.is(value("sluice_bundle_release"), 1);
    assert.ok(Math.abs((value("sluice_approval_remaining_seconds") ?? 0) - 30.5 * 86_400) < 900);
    assert.is(value("sluice_bundle_info", { catalog_version: "catalog-1" }), 1);
    assert.is(value("sluice_inference_workers_ready"), 1);
    const jobs = value("sluice_inference_jobs_finished_total") ?? 0;
    assert.ok(jobs >= 4);
    assert.is(value("sluice_inference_batch_jobs_sum"), jobs);
    assert.is(value("sluice_inference_batch_jobs_bucket", { le: "+Inf" }), value("sluice_inference_batch_jobs_count"));
    assert.is(value("sluice_log_lines_lost_total"), 0);
    assert.is(value("process_resident_memory_bytes"), 1);
    assert.ok((value("sluice_event_loop_delay_seconds") ?? -1) >= 0);
    for (const { type, name, samples } of families) {
      assert.ok(["counter", "gauge", "histogram"].includes(type), name);
      for (const sample of samples) assert.not.match(JSON.stringify(sample.labels), /where is my order|orders\.status/);
    }
    assert.is((await fetch(`${server.metricsAddress ?? ""}/other`)).status, 404);
    writeBroken(bundle);
    assert.is(sampleValue(await scrape(), "sluice_bundle_ready"), 0);
  }));

testWithTool(test, "promtool", "promtool finds nothing to warn about in the metrics of a real server", () =>
  inServedFolder(async (served) => {
    const bundle = await served.bundle(1);
    const server = await served.start({ bundle, metricsPort: 0, shadow: await served.bundle(2) });
    await post(server.address, orderRequest(1));
    await post(server.address, "no json");
    const input = await (await fetch(`${server.metricsAddress ?? ""}/metrics`)).text();
    assert.match(input, /sluice_approval_remaining_seconds/);
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input, encoding: "utf8" });
    assert.equal([status, stdout, stderr], [0, "", ""]);
  }),
);

function writeBroken(bundle: string): void {
  writeFileSync(`${bundle}/policy.json`, "{}");
}

test("without --metrics-port nothing is exposed, and a port in use fails the start", () =>
  inServedFolder(async (served) => {
    const bundle = await served.bundle(1);
    const first = await served.start({ bundle, metricsPort: 0 });
    const metricsPort = Number(new URL(first.metricsAddress ?? "").port);
    await rejects(served.start({ bundle, metricsPort }), "PORT_IN_USE");
    assert.is((await served.start({ bundle })).metricsAddress, null);
  }));

test("the log line of a decision has tier, margin and stages, and no text", () =>
  inServedFolder(async (served) => {
    const server = await served.start({ bundle: await served.bundle(1) });
    await post(server.address, { ...orderRequest(1), context: { order_id: "SECRET-1" } });
    const line = served.lines.find((entry) => entry.includes("sluice.decision")) ?? "";
    const event = JSON.parse(line) as Record<string, unknown>;
    assert.is(event["risk_tier"], "low");
    assert.equal(Object.keys(event["stages_ms"] as object), ["retrieve", "verify", "resolve", "decide"]);
    assert.not.match(served.lines.join(""), /where is my order|SECRET/);
  }));
