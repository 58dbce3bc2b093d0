import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { assert, pluck, test } from "../../support/test.js";
import { inServedFolder, orderRequest } from "../../support/served-bundles.js";
import { SpanExporter } from "../../../serve/tracing/span-exporter.js";
import type { Span } from "../../../serve/tracing/span.js";
import { expositionText } from "../../../serve/metrics/exposition.js";
import { post, send } from "../support/http.js";
import { parseExposition, sampleValue } from "../support/parse-exposition.js";

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

/** A collector on a real socket that keeps what it gets, and answers with `status`. */
async function withCollector(
  status: number,
  use: (endpoint: string, bodies: string[]) => Promise<void>,
): Promise<void> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      assert.equal([request.method, request.url], ["POST", "/v1/traces"]);
      assert.is(request.headers["content-type"], "application/json");
      bodies.push(Buffer.concat(parts).toString("utf8"));
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function spansOf(bodies: readonly string[]): readonly WireSpan[] {
  return bodies.flatMap((body) => {
    const document = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: WireSpan[] }[] }[] };
    return document.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  });
}

const attribute = (span: WireSpan | undefined, key: string): unknown =>
  Object.values(span?.attributes.find((entry) => entry.key === key)?.value ?? {})[0];

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";

test("a request of a traced caller gives its span and those of the stages, without a text", () =>
  withCollector(200, (otlpEndpoint, bodies) =>
    inServedFolder(async (served) => {
      const server = await served.start({ bundle: await served.bundle(1), otlpEndpoint });
      await post(server.address, orderRequest(1), { traceparent: `00-${traceId}-${parentId}-01` });
      await post(server.address, orderRequest(1), { traceparent: `00-${traceId}-${parentId}-00` });
      await send(server.address, { path: "/health" });
      await post(server.address, { ...orderRequest(1), catalog_version: "other" });
      await server.shutdown.begin();
      const spans = spansOf(bodies);
      const [request, ...stages] = spans.filter((span) => span.traceId === traceId);
      assert.equal([request?.name, request?.kind, request?.parentSpanId], ["POST /v1/route", 2, parentId]);
      assert.equal(
        stages.map((span) => [span.name, span.parentSpanId]),
        ["retrieve", "verify", "resolve", "decide"].map((name) => [name, request?.spanId]),
      );
      for (const { startTimeUnixNano, endTimeUnixNano } of stages) {
        assert.ok(BigInt(startTimeUnixNano) >= BigInt(request?.startTimeUnixNano ?? 0));
        assert.ok(BigInt(endTimeUnixNano) <= BigInt(request?.endTimeUnixNano ?? 0));
      }
      assert.is(attribute(request, "sluice.reason_code"), "ACCEPTED_LOW_RISK");
      assert.is(attribute(request, "http.response.status_code"), "200");
      const others = spans.filter((span) => span.traceId !== traceId);
      assert.equal(
        others.map((span) => [span.parentSpanId, attribute(span, "error.type")]),
        [[undefined, "CATALOG_VERSION_MISMATCH"]],
      );
      assert.not.match(bodies.join(""), /where is my order/);
    }),
  ));

const span = (name: string): Span => ({
  traceId,
  spanId: parentId,
  parentId: null,
  name,
  kind: "internal",
  startedAt: 0,
  endedAt: 1,
  attributes: {},
  failed: false,
});

test("spans that the collector refuses or that find no room are dropped and counted", () =>
  withCollector(500, async (endpoint, bodies) => {
    const resource = { serviceName: "s", serviceVersion: "1" };
    const exporter = new SpanExporter({ endpoint: `${endpoint}/`, resource, queueLimit: 3 });
    exporter.add([span("a"), span("b")]);
    exporter.add([span("c"), span("d")]);
    await exporter.close();
    const families = parseExposition(expositionText(exporter.families()));
    assert.is(sampleValue(families, "sluice_trace_spans_dropped_total"), 4);
    assert.is(sampleValue(families, "sluice_trace_spans_exported_total"), 0);
    assert.equal(pluck(spansOf(bodies), "name"), ["a", "b"]);
  }));

test("an unreachable collector does no harm", async () => {
  const exporter = new SpanExporter({
    endpoint: "http://127.0.0.1:9",
    resource: { serviceName: "s", serviceVersion: "1" },
  });
  exporter.add([span("a")]);
  await exporter.close();
  assert.is(sampleValue(parseExposition(expositionText(exporter.families())), "sluice_trace_spans_dropped_total"), 1);
});
