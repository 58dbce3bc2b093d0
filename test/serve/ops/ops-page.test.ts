import { request } from "node:http";
import { writeFileSync } from "node:fs";
import { opsView } from "../../../serve/ops/ops-view.js";
import { renderOpsPage } from "../../../serve/ops/ops-page.js";
import { startLine } from "../../../serve/start.js";
import { assert, test } from "../../support/test.js";
import { inServedFolder, orderRequest } from "../../support/served-bundles.js";
import { post, send } from "../support/http.js";
import { parseExposition, sampleValue } from "../support/parse-exposition.js";

interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** One exchange under a Host header of choice, which `fetch` does not let a caller set. */
function ask(address: string, method = "GET", host: string | null = null): Promise<Page> {
  return new Promise((resolve, reject) => {
    const outgoing = request(address, { method, ...(host === null ? {} : { headers: { host } }) }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    outgoing.on("error", reject).end();
  });
}

/** The cells of the row of a reason. */
const rowOf = (page: string, reason: string): readonly string[] => {
  const row = page.split("<tr>").find((each) => each.includes(`<td>${reason}</td>`)) ?? "";
  return [...row.matchAll(/<td[^>]*>([^<]*)/gu)].map(([, text = ""]) => text);
};

test("the page shows the numbers of the metrics, and no text, and changes with the server", () =>
  inServedFolder(async (served) => {
    const bundle = await served.bundle(1);
    const server = await served.start({ bundle, metricsPort: 0, opsPage: true, shadow: await served.bundle(2) });
    const address = server.opsAddress ?? "";
    assert.is(address, `${server.metricsAddress}/ops`);
    assert.match(startLine(server), `live page ${address}`);
    for (let count = 0; count < 3; count += 1) await post(server.address, orderRequest(1));
    const { status, headers, text } = await ask(address);
    assert.equal([status, headers["content-type"]], [200, "text/html; charset=utf-8"]);
    assert.equal(rowOf(text, "ACCEPTED_LOW_RISK").slice(0, 5), ["ROUTE", "ACCEPTED_LOW_RISK", "low", "3", "100.0%"]);
    const families = parseExposition(await (await fetch(`${server.metricsAddress ?? ""}/metrics`)).text());
    assert.is(sampleValue(families, "sluice_decisions_total", { reason_code: "ACCEPTED_LOW_RISK" }), 3);
    assert.match(text, /<dt>Approval left<\/dt><dd>30\.\d days<\/dd>/u);
    assert.match(text, /<dt>Model runs waiting<\/dt><dd>0<\/dd>/u);
    assert.match(text, /<dt>Compared<\/dt>/u);
    assert.match(text, "ready");
    assert.not.match(text, /where is my order|orders\.status/u);
    writeFileSync(`${bundle}/policy.json`, "{}");
    await ask(`${server.metricsAddress ?? ""}/metrics`);
    const broken = await ask(address);
    assert.match(broken.text, /not ready/u);
    assert.match(broken.text, "docs/how-to/runbook.md#sluicebundlenotready");
  }));

test("only the address of the metrics shows it, and only where it was switched on", () =>
  inServedFolder(async (served) => {
    const bundle = await served.bundle(1);
    const without = await served.start({ bundle, metricsPort: 0 });
    assert.equal([without.opsAddress, (await ask(`${without.metricsAddress ?? ""}/ops`)).status], [null, 404]);
    const on = await served.start({ bundle, metricsPort: 0, opsPage: true });
    const service = await send(on.address, { path: "/ops" });
    assert.equal([service.status, service.body["code"]], [404, "NOT_FOUND"]);
    assert.is((await ask(`${on.metricsAddress ?? ""}/ops/`)).status, 404);
  }));

test("a browser runs its one script and style only, other methods and foreign names of this machine are refused", () =>
  inServedFolder(async (served) => {
    const options = { metricsPort: 0, opsPage: true, trustedHosts: ["ops.example.com"] };
    const server = await served.start({ bundle: await served.bundle(1), ...options });
    const address = server.opsAddress ?? "";
    const { headers, text } = await ask(address, "GET", "localhost:1");
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; /u);
    assert.not.match(policy, /unsafe/u);
    assert.equal([headers["cache-control"], headers["x-frame-options"]], ["no-store", "DENY"]);
    assert.not.match(text, / style=|https?:\/\//u);
    const head = await ask(address, "HEAD");
    assert.equal([head.status, head.text], [200, ""]);
    for (const method of ["POST", "PUT", "DELETE"]) assert.is((await ask(address, method)).status, 405, method);
    for (const host of ["192.0.2.7:9464", "[::1]:9464", "ops.example.com"]) {
      assert.is((await ask(address, "GET", host)).status, 200, host);
    }
    for (const host of ["rebound.example.com", "192.0.2.7.example.com", "localhost.example.com"]) {
      assert.is((await ask(address, "GET", host)).status, 400, host);
    }
  }));

test("what needs an operator comes first, and a live value outside its interval is flagged", () => {
  const gauge = (name: string, value: number, labels = {}) => ({
    name,
    help: "",
    type: "gauge" as const,
    samples: [{ labels, value }],
  });
  const coverage = { statistic: "coverage", tier: "high" };
  const families = [
    gauge("sluice_bundle_ready", 1),
    gauge("sluice_approval_remaining_seconds", 86_400 * 2.19),
    gauge("sluice_http_requests_total", 26, { route: "/v1/route", status: "503", error_code: "SERVER_OVERLOADED" }),
    gauge("sluice_drift_expected_lower", 0.5, coverage),
    gauge("sluice_drift_expected_upper", 0.75, coverage),
    gauge("sluice_drift_live", 0.2, coverage),
    gauge("sluice_drift_alarm", 1, coverage),
    gauge("sluice_drift_evidence", 1.5, coverage),
    gauge("sluice_live_risk_limit", 0.1),
    gauge("sluice_live_risk_labels", 120),
    gauge("sluice_live_risk_wrong", 40),
    gauge("sluice_live_risk_refuted", 1),
  ];
  const view = opsView(families, []);
  assert.equal(
    view.notices.map(({ alert, text, urgent }) => [alert, text, urgent]),
    [
      ["SluiceClaimRefuted", "Labelled routes refute the claim: 40 wrong of 120, limit 10%.", true],
      ["SluiceDrift", "Live decisions differ from the signed calibration: coverage of high.", false],
      ["SluiceOverloaded", "26 of 26 requests since the start were refused: the server was overloaded.", false],
      ["SluiceApprovalEndsSoon", "The approvals end in 2.1 days.", false],
    ],
  );
  assert.equal([view.shadow, view.decided], [null, 0]);
  const page = renderOpsPage(view, new Date(0));
  assert.match(page, /20\.00%[\s\S]*50\.00% to 75\.00%[\s\S]*class="live out"[\s\S]*drifts/u);
  assert.match(page, "No shadow runs");
  assert.match(page, /ready<\/span> <span class="badge fail">[\s\S]*act now[\s\S]*<li class="act">/u);

  const reason = "manifest.dsse.json: bundle 5c is revoked (routes refunds wrongly)";
  const revoked = opsView([gauge("sluice_bundle_ready", 0), gauge("sluice_approval_remaining_seconds", 1e9)], [reason]);
  const [notice] = revoked.notices;
  assert.is(notice?.text, `The bundle cannot be served; every request is declined: ${reason}.`);
  assert.equal(revoked.bundle[0], { label: "Approval left", value: "not served" });
});
