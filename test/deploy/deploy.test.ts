import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { sendControlOrder } from "../../serve/control/control-client.js";
import { assert, packageRoot, test } from "../support/test.js";
import { parseExposition } from "../serve/support/parse-exposition.js";
import { codeBlocks, docPage } from "../support/doc-page.js";
import { programs, runProgram } from "../support/run-program.js";
import { inServedFolder, orderRequest } from "../support/served-bundles.js";
import { post } from "../serve/support/http.js";

const text = (path: string): string => readFileSync(join(packageRoot, "deploy", path), "utf8");

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: Readonly<Record<"runbook" | "summary", string>>;
    }[];
  }[];
}
const alerts = (parse(text("prometheus/alerts.yaml")) as Alerts).groups.flatMap(({ rules }) => rules);

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly query: unknown }[] };
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}
const dashboard = JSON.parse(text("grafana/sluice-serve.json")) as Dashboard;

/** What the dashboard asks Prometheus, by the panel that asks. */
const queries: readonly (readonly [asks: string, expr: string])[] = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...dashboard.templating.list.map(({ query }) => ["a variable", JSON.stringify(query)] as const).slice(1),
  ...dashboard.annotations.list.map(({ expr }) => ["an annotation", expr] as const),
];

test("every alert and every panel of the dashboard names metrics that a real server shows", () =>
  inServedFolder(async (served) => {
    const [bundle, shadow] = [await served.bundle(1), await served.bundle(2)];
    // Nothing listens at the discard port: spans are dropped.
    const server = await served.start({ bundle, shadow, metricsPort: 0, otlpEndpoint: "http://127.0.0.1:9" });
    await post(server.address, orderRequest(1));
    await post(server.address, { text: "" });
    const families = parseExposition(await (await fetch(`${server.metricsAddress ?? ""}/metrics`)).text());
    const names = new Set(
      families.flatMap(({ name, type }) => (type === "histogram" ? [`${name}_bucket`, `${name}_sum`] : [name])),
    );
    for (const [asks, expr] of [...alerts.map(({ alert, expr }) => [alert, expr] as const), ...queries]) {
      const used = expr.match(/\b(?:sluice|process|nodejs)_[a-z_]+/gu) ?? [];
      assert.ok(used.length > 0, asks);
      for (const name of used) assert.ok(names.has(name), `${asks}: ${name}`);
    }
  }));

test("the dashboard shows decisions, certified intervals, approvals, flips and the queue, with a selector for replicas", () => {
  const asked = queries.map(([, expr]) => expr).join("\n");
  const shown = [
    "sluice_decisions_total",
    "sluice_drift_expected_lower",
    "sluice_drift_alarm",
    "sluice_shadow_flips_total",
    "sluice_approval_remaining_seconds",
    "sluice_inference_jobs_waiting",
  ];
  for (const name of shown) assert.match(asked, name);
  for (const [asks, expr] of queries) assert.match(expr, "instance", asks);
});

test("every alert has an entry in the runbook, and every entry is that of an alert", () => {
  const entries = [...docPage("how-to/runbook.md").matchAll(/^## (\w+)$/gmu)].map(([, name]) => name);
  assert.equal(
    entries,
    alerts.map(({ alert }) => alert),
  );
  assert.ok(alerts.length >= 10);
  for (const { alert, annotations } of alerts) {
    assert.is(annotations.runbook, `docs/how-to/runbook.md#${alert.toLowerCase()}`);
    assert.ok(annotations.summary.length > 15);
  }
});

test("the orders of the runbook run as they are printed", () =>
  inServedFolder(async (served) => {
    const control = join(served.folder, "control.sock");
    const server = await served.start({ bundle: await served.bundle(1), control });
    const second = { bundle: await served.bundle(2), kind: "replace", expectedGeneration: 1 } as const;
    await sendControlOrder(control, second);
    const next = await served.bundle(3);
    const lines = codeBlocks(docPage("how-to/runbook.md"), "console").join("").trim().split("\n");
    assert.is(lines.length, 3);
    for (const line of lines) {
      const values = { SOCKET: control, NEXT: next, GENERATION: String(server.runtime.snapshot().generation) };
      const words = line.split(" ").map((word) => values[word as keyof typeof values] ?? word);
      assert.is(words.shift(), "sluice-serve");
      const { code, stdout, stderr } = await runProgram(programs.serve, words);
      assert.is(code, 0, `${line}: ${stderr}`);
      assert.is((JSON.parse(stdout) as { generation: number }).generation, server.runtime.snapshot().generation);
    }
    assert.is(server.runtime.snapshot().lineage.catalog_version, "catalog-3");
    const stale = ["control", "rollback", "--expected-generation", "1", "--control", control];
    const refused = await runProgram(programs.serve, stale);
    assert.equal([refused.code, refused.stdout], [4, ""]);
    assert.match(refused.stderr, /^error    GENERATION_STALE: found active generation 4, expected 1\nhint     /u);
  }));

test("metrics that the runbook names exist in the sources", () => {
  const sources = ["event-metrics", "runtime-metrics"]
    .map((name) => readFileSync(join(packageRoot, "serve/metrics", `${name}.ts`), "utf8"))
    .concat(readFileSync(join(packageRoot, "serve/drift/drift-watch.ts"), "utf8"))
    .join("\n");
  for (const [name] of docPage("how-to/runbook.md").matchAll(/\b(?:sluice|process)_[a-z_]+/gu)) {
    const known = name.startsWith("sluice_inference_") ? name.slice("sluice_inference_".length) : name;
    assert.ok(sources.includes(`"${known}"`), name);
  }
});
