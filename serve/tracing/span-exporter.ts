import type { MetricFamily } from "../metrics/exposition.js";
import { counter } from "../metrics/runtime-metrics.js";
import { otlpTraces, type Span, type TraceResource } from "./span.js";

export interface SpanExporterOptions {
  /** Base address of an OTLP/HTTP collector, for example `http://127.0.0.1:4318`. */
  readonly endpoint: string;
  readonly resource: TraceResource;
  /** Maximum number of queued spans; further ones are dropped. Default 4096. */
  readonly queueLimit?: number;
}

const defaultQueueLimit = 4096;
const batchLimit = 512;
const intervalMs = 2000;
const timeoutMs = 5000;

/**
 * Sends finished spans to a collector in batches. The queue is bounded, nothing waits for it, and rejected batches are
 * dropped and counted.
 */
export class SpanExporter {
  readonly #url: string;
  readonly #options: SpanExporterOptions;
  readonly #timer: NodeJS.Timeout;
  #waiting: Span[] = [];
  #sending: Promise<void> | null = null;
  #exported = 0;
  #dropped = 0;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    this.#url = `${options.endpoint.replace(/\/+$/u, "")}/v1/traces`;
    this.#timer = setInterval(() => void this.flush(), intervalMs);
    this.#timer.unref();
  }

  add(spans: readonly Span[]): void {
    const room = (this.#options.queueLimit ?? defaultQueueLimit) - this.#waiting.length;
    if (spans.length > room) {
      this.#dropped += spans.length;
      return;
    }
    this.#waiting.push(...spans);
    if (this.#waiting.length >= batchLimit) void this.flush();
  }

  /** Sends the queued spans, one batch at a time. */
  flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  families(): readonly MetricFamily[] {
    return [
      counter("sluice_trace_spans_exported_total", "Spans exported.", this.#exported),
      counter("sluice_trace_spans_dropped_total", "Spans dropped.", this.#dropped),
    ];
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, batchLimit);
      this.#waiting = this.#waiting.slice(batchLimit);
      if (await this.#send(batch)) this.#exported += batch.length;
      else this.#dropped += batch.length;
    }
  }

  /**
   * Sends a batch, and sends it again if there was no response, because the collector may have closed an idle
   * connection.
   */
  async #send(batch: readonly Span[]): Promise<boolean> {
    const body = JSON.stringify(otlpTraces(batch, this.#options.resource));
    return (await this.#post(body)) ?? (await this.#post(body)) ?? false;
  }

  /** Whether the collector accepted the spans; null without a response. */
  async #post(body: string): Promise<boolean | null> {
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        signal: AbortSignal.timeout(timeoutMs),
        redirect: "error",
      });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return null;
    }
  }
}
