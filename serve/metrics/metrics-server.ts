import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { SluiceError } from "../../src/base/error.js";
import { type OpsPage, opsPagePolicy } from "../ops/ops-page.js";
import { brokenRule, securityHeaders } from "../plugins/http-rules.js";
import { addLingeringClose } from "../plugins/lingering-close.js";
import { expositionText, expositionType, type MetricFamily } from "./exposition.js";

/** Time limits for the headers and the whole request; a scrape has no body. */
const timeouts = { headersTimeout: 5000, requestTimeout: 5000, connectionsCheckingInterval: 1000 } as const;
/** Maximum number of connections: a few scrapers, plus some that disappeared without closing. */
const maxConnections = 64;

export interface MetricsServer {
  /** Base address, for example `http://127.0.0.1:9464`. */
  readonly address: string;
  close(): Promise<void>;
}

export interface MetricsPages {
  /** Called at every scrape. */
  readonly collect: () => readonly MetricFamily[];
  /** The operators' page at `/ops`; null for none. */
  readonly ops: OpsPage | null;
}

interface MetricsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Serves `GET /metrics` and, if configured, `GET /ops` on a separate address. Clients of the service cannot reach it,
 * so it needs neither trusted hosts nor an authorizer.
 * @throws {SluiceError} PORT_IN_USE, USAGE
 */
export async function startMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  pages: MetricsPages,
): Promise<MetricsServer> {
  const server = createServer({ keepAliveTimeout: 5000, ...timeouts }, (request, response) => {
    const { status, headers, body } = answer(request, pages);
    const bytes = Buffer.from(body);
    response.writeHead(status, { ...headers, "content-length": bytes.length });
    response.end(request.method === "HEAD" ? undefined : bytes);
  });
  addLingeringClose(server);
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)));
    server.listen({ host, port }, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    address: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(request: IncomingMessage, { collect, ops }: MetricsPages): MetricsAnswer {
  const broken = brokenRule(request);
  if (broken !== null) return plain(broken.entry.httpStatus, broken.message, { connection: "close" });
  const { method, url, headers } = request;
  const path = url?.split("?", 1)[0];
  if (method === "GET" && path === "/metrics") {
    return { status: 200, headers: { "content-type": expositionType }, body: expositionText(collect()) };
  }
  if (ops === null || path !== "/ops") return plain(404, "expected GET /metrics");
  if (method !== "GET" && method !== "HEAD") return plain(405, "expected GET /ops", { allow: "GET, HEAD" });
  if (!ops.accepts(headers.host ?? "")) return plain(400, "the Host header is not a trusted host");
  const type = "text/html; charset=utf-8";
  const safe = { ...securityHeaders, "content-type": type, "content-security-policy": opsPagePolicy };
  return { status: 200, headers: safe, body: ops.render(collect()) };
}

function plain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): MetricsAnswer {
  return { status, headers: { ...headers, "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` };
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): SluiceError {
  const taken = cause.code === "EADDRINUSE";
  const problem = taken ? "is in use by another process" : `cannot be used (${cause.code ?? "unknown"})`;
  return new SluiceError(taken ? "PORT_IN_USE" : "USAGE", `metrics port ${port} of ${host} ${problem}`, {
    hint: "Choose another --metrics-port or --metrics-host.",
    cause,
  });
}
