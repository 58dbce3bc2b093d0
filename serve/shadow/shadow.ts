import type { RiskTier } from "../../src/documents/choices.js";
import type { ReasonCode } from "../../src/documents/decision.js";
import type { RouteRequest } from "../../src/documents/request.js";
import type { RouteResponse } from "../../src/documents/response.js";
import type { Router } from "../../src/documents/router.js";
import { RequestObservation, withRoute } from "../../src/router/telemetry/observe-router.js";
import { emitSafely, type TelemetrySink } from "../../src/router/telemetry/sink.js";
import { Counter } from "../metrics/instruments.js";
import type { MetricFamily } from "../metrics/exposition.js";
import { gauge } from "../metrics/runtime-metrics.js";

export interface ShadowOptions {
  /** Router of a bundle with its own inference threads; closed together with the shadow. */
  readonly router: Router;
  readonly telemetry: TelemetrySink;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Maximum length of the queue; further requests are not compared. Default 256. */
  readonly queueLimit?: number;
  /** Maximum number of concurrent requests to the shadow bundle. Default 4. */
  readonly concurrency?: number;
}

/** An answered request for the shadow bundle to decide as well. */
interface Answered {
  readonly request: RouteRequest;
  readonly response: RouteResponse;
  readonly tier: RiskTier | null;
}

/** Reasons that describe the state of the server instead of the request. */
const notComparable: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  "BACKEND_UNAVAILABLE",
  "RUNTIME_INTEGRITY_FAILURE",
  "INPUT_EXTRACTION_TIMEOUT",
]);
const defaultQueueLimit = 256;
const defaultConcurrency = 4;

/** A flip between the same two reasons is logged at most once in this interval. Milliseconds. */
const sampleIntervalMs = 60_000;

/**
 * Repeats answered requests on a shadow bundle. The shadow has its own queue and threads, starts after the response is
 * sent, and reports its decisions only to counters and a sampled log.
 */
export class Shadow {
  readonly #options: ShadowOptions;
  readonly #waiting: Answered[] = [];
  readonly #sampledAt = new Map<string, number>();
  readonly #comparisons = new Counter(
    "sluice_shadow_comparisons_total",
    "Requests that both bundles decided, by tier.",
  );
  readonly #flips = new Counter(
    "sluice_shadow_flips_total",
    "Requests that the shadow decides differently: another decision or workflow, by tier.",
  );
  readonly #skipped = new Counter("sluice_shadow_skipped_total", "Requests that were not compared, by cause.");
  #running = 0;
  #closed = false;
  #onIdle: () => void = () => undefined;

  constructor(options: ShadowOptions) {
    this.#options = options;
  }

  /** Accepts an answered request. Returns immediately and never throws. */
  offer(answered: Answered): void {
    if (this.#closed) return;
    const { queueLimit = defaultQueueLimit } = this.#options;
    if (this.#waiting.length >= queueLimit) return this.#skipped.add({ cause: "queue_full" });
    this.#waiting.push(answered);
    setImmediate(() => this.#next());
  }

  families(): readonly MetricFamily[] {
    const waiting = gauge("sluice_shadow_waiting", "Requests that wait for the shadow.", this.#waiting.length);
    return [waiting, this.#comparisons.family(), this.#flips.family(), this.#skipped.family()];
  }

  /** Resolves when no request is waiting or running. */
  async settled(): Promise<void> {
    if (this.#running === 0 && this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  /** Drops waiting requests, lets running ones finish, and closes the bundle. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.length = 0;
    await this.settled();
    await this.#options.router.close();
  }

  #next(): void {
    if (this.#running >= (this.#options.concurrency ?? defaultConcurrency)) return;
    const answered = this.#waiting.shift();
    if (answered === undefined) return;
    this.#running += 1;
    void this.#compare(answered).finally(() => {
      this.#running -= 1;
      if (this.#running === 0 && this.#waiting.length === 0) this.#onIdle();
      this.#next();
    });
  }

  async #compare({ request, response, tier }: Answered): Promise<void> {
    const { router } = this.#options;
    try {
      const catalogVersion = request.catalog_version === null ? null : router.lineage.catalog_version;
      const shadow = await router.route({ ...request, catalog_version: catalogVersion });
      if (notComparable.has(shadow.reason_code) || notComparable.has(response.reason_code)) {
        return this.#skipped.add({ cause: "not_comparable" });
      }
      this.#count(response, shadow, tier);
    } catch {
      this.#skipped.add({ cause: "failed" });
    }
  }

  #count(active: RouteResponse, shadow: RouteResponse, riskTier: RiskTier | null): void {
    const tier = riskTier ?? "none";
    this.#comparisons.add({ tier });
    const sameKind = active.decision === shadow.decision;
    if (sameKind && active.workflow_id === shadow.workflow_id) return;
    this.#flips.add({ flip: sameKind ? "workflow" : "decision", from: active.decision, to: shadow.decision, tier });
    this.#sample(active, shadow, riskTier);
  }

  #sample(active: RouteResponse, shadow: RouteResponse, riskTier: RiskTier | null): void {
    const pair = `${active.reason_code} ${shadow.reason_code}`;
    const now = this.#options.now();
    if (now - (this.#sampledAt.get(pair) ?? Number.NEGATIVE_INFINITY) < sampleIntervalMs) return;
    this.#sampledAt.set(pair, now);
    emitSafely(this.#options.telemetry, {
      event: "sluice.shadow_flip",
      request_id: active.request_id,
      risk_tier: riskTier,
      decision: active.decision,
      reason_code: active.reason_code,
      workflow_id: active.workflow_id,
      confidence: active.confidence,
      shadow_decision: shadow.decision,
      shadow_reason_code: shadow.reason_code,
      shadow_workflow_id: shadow.workflow_id,
      shadow_confidence: shadow.confidence,
      shadow_bundle_id: this.#options.router.bundleId,
    });
  }
}

/** Wraps the router so that answered requests are offered to the shadow. */
export function shadowedRouter(router: Router, shadow: Pick<Shadow, "offer">): Router {
  return withRoute(router, async (request, signal, observer) => {
    const seen = new RequestObservation(observer ?? null);
    const response = await router.route(request, signal, seen);
    shadow.offer({ request, response, tier: seen.decision?.risk_tier ?? null });
    return response;
  });
}
