import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Router } from "../../../src/documents/router.js";
import type { RouterRuntime } from "../../../src/router/runtime.js";
import type { TelemetryEvent, TelemetrySink } from "../../../src/router/telemetry/sink.js";
import { type AppOptions, createApp } from "../../../serve/app.js";
import type { Authorizer } from "../../../serve/authorizer.js";
import { ApiSettings } from "../../../serve/settings.js";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed body; an empty object when there is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as JSON unless it is a text or a list of chunks; chunks go without a content-length. */
  readonly body?: unknown;
  /** Keeps connections; without one each call has its own. */
  readonly agent?: Agent;
  readonly chunks?: readonly string[];
}

export const productionSettings = ApiSettings.productionDefaults({
  trustedHosts: ["127.0.0.1", "router.example.com", "*.corp.example"],
  corsOrigins: ["https://app.example.com"],
  bodyLimitBytes: 131_072,
});

export const grantAll: Authorizer = async () => ["card.block", "card.order"];

/** A request that production accepts. */
export const goodBody = { text: "block my card", catalog_version: "cat-1", allowed_workflow_ids: ["card.block"] };

/** One exchange over TCP. */
export function send(base: string, call: Call = {}): Promise<Answer> {
  const { method = call.body === undefined && call.chunks === undefined ? "GET" : "POST", path = "/v1/route" } = call;
  const payload = typeof call.body === "string" ? call.body : JSON.stringify(call.body);
  const type = call.body === undefined && call.chunks === undefined ? {} : { "content-type": "application/json" };
  const length = payload === undefined ? {} : { "content-length": Buffer.byteLength(payload) };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${base}${path}`, {
      method,
      headers: { ...type, ...length, ...call.headers },
      ...(call.agent === undefined ? {} : { agent: call.agent }),
    });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body });
      });
    });
    for (const chunk of call.chunks ?? []) outgoing.write(chunk);
    outgoing.end(payload);
  });
}

/** Posts a body to `/v1/route`. */
export function post(base: string, body: unknown, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
  return send(base, { body, headers });
}

/** Runs `use` against a listening production server, and closes it. */
export async function withServer(
  router: Router | RouterRuntime,
  options: AppOptions,
  use: (base: string, app: FastifyInstance) => Promise<void>,
): Promise<void> {
  const app = createApp(router, { authorizer: grantAll, settings: productionSettings, ...options });
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  try {
    await use(base, app);
  } finally {
    app.server.closeAllConnections();
    await app.close();
  }
}

/** Keeps every event; `next` waits for the next one of a kind that was not handed out yet. */
export class RecordingSink implements TelemetrySink {
  readonly events: TelemetryEvent[] = [];
  #waiting: (() => void)[] = [];
  #taken = new Set<TelemetryEvent>();

  emit(event: TelemetryEvent): void {
    this.events.push(event);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async next<K extends TelemetryEvent["event"]>(kind: K): Promise<Extract<TelemetryEvent, { event: K }>> {
    const found = this.events.find((event) => event.event === kind && !this.#taken.has(event));
    if (found !== undefined) {
      this.#taken.add(found);
      return found as Extract<TelemetryEvent, { event: K }>;
    }
    await new Promise<void>((wake) => this.#waiting.push(wake));
    return this.next(kind);
  }
}

/** A promise that the test settles itself. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
