import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SluiceError } from "../../src/errors/error.js";
import { expositionText, expositionType, type MetricFamily } from "./exposition.js";

/** Time for a head and a whole request; a scrape has no body. */
const timeouts = { headersTimeout: 5000, requestTimeout: 5000, connectionsCheckingInterval: 1000 } as const;
/** Connections at once: some scrapers, and some that went away without a word. */
const maxConnections = 64;

export interface MetricsServer {
  /** Base address, for example `http://127.0.0.1:9464`. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * `GET /metrics` on an address of its own, so that it needs no trusted host and no authorizer, and reaches nobody who
 * only reaches the service.
 * @param collect  what to show, asked at every scrape
 * @throws {SluiceError} PORT_IN_USE, USAGE
 */
export async function startMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  collect: () => readonly MetricFamily[],
): Promise<MetricsServer> {
  const server = createServer({ keepAliveTimeout: 5000, ...timeouts }, (request, response) => {
    const found = request.method === "GET" && request.url?.split("?", 1)[0] === "/metrics";
    const body = Buffer.from(found ? expositionText(collect()) : "expected GET /metrics\n");
    const type = found ? expositionType : "text/plain; charset=utf-8";
    response.writeHead(found ? 200 : 404, { "content-type": type, "content-length": body.length });
    response.end(body);
  });
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

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): SluiceError {
  const taken = cause.code === "EADDRINUSE";
  const problem = taken ? "is taken by another process" : `cannot be used (${cause.code ?? "unknown"})`;
  return new SluiceError(taken ? "PORT_IN_USE" : "USAGE", `metrics port ${port} of ${host} ${problem}`, {
    hint: "Choose another --metrics-port or --metrics-host.",
    cause,
  });
}
