import { within } from "../../src/documents/run-scope.js";
import type { Router } from "../../src/documents/router.js";
import { type SluiceError, toSluiceError } from "../../src/base/error.js";
import type { ExpectedGeneration, RouterRuntime, RuntimeSnapshot } from "../../src/router/runtime.js";
import type { LoadedBundle } from "../load-production-router.js";
import {
  emitSafely,
  type ReplacementOutcome,
  type ReplacementTrigger,
  type TelemetrySink,
} from "../../src/router/telemetry/sink.js";

export interface BundleManagerOptions {
  readonly runtime: RouterRuntime;
  /** Folder of the bundle that is active at startup. */
  readonly directory: string;
  /** Verifies a bundle, builds and warms its router, and checks its golden decisions. */
  readonly load: (directory: string) => Promise<LoadedBundle>;
  /** Refuses a bundle that does not fit in memory next to the active one. */
  readonly requireMemory: (directory: string) => Promise<void>;
  readonly telemetry: TelemetrySink;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Maximum wait for a changed revocation list and one bundle, in milliseconds. */
const judgingLimitMs = 5000;

export interface Replacement extends ExpectedGeneration {
  readonly directory: string;
  readonly trigger: ReplacementTrigger;
}

/**
 * Replaces the active bundle, one operation at a time. A replacement is loaded while the active bundle keeps serving,
 * and becomes active only once it is verified, warmed and valid. A failure is reported and leaves the active bundle in
 * service.
 */
export class BundleManager {
  readonly #options: BundleManagerOptions;
  readonly #directories = new WeakMap<Router, string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: BundleManagerOptions) {
    this.#options = options;
    this.#directories.set(options.runtime.router, options.directory);
  }

  snapshot(): RuntimeSnapshot {
    return this.#options.runtime.snapshot();
  }

  /** The snapshot, after both bundles were checked: a changed revocation list is judged first. */
  async checkedSnapshot(): Promise<RuntimeSnapshot> {
    const { router, previous } = this.snapshot();
    await this.#judged(router);
    await this.#judged(previous);
    return this.snapshot();
  }

  /** Waits until a revocation list that has just changed is judged for a bundle. */
  async #judged(router: Router | null): Promise<void> {
    await router?.integrityChecked(within(judgingLimitMs, { now: this.#options.now }, null));
  }

  /** Folder of the active bundle; null if it was not loaded from a folder. */
  activeDirectory(): string | null {
    return this.#directories.get(this.#options.runtime.router) ?? null;
  }

  /**
   * The bundle that is active already is loaded again, and changes neither the generation nor what a rollback makes
   * active: a script may repeat its command.
   * @throws {SluiceError} GENERATION_STALE, MEMORY_LIMIT, WRITE_FAILED, those of loading and of `replace`
   */
  replace(replacement: Replacement): Promise<RuntimeSnapshot> {
    return this.#inTurn(replacement.trigger, () => this.#replace(replacement));
  }

  /** @throws {SluiceError} those of `RouterRuntime.rollback` */
  rollback(expected: ExpectedGeneration): Promise<RuntimeSnapshot> {
    return this.#inTurn("rollback", async () => {
      const { runtime } = this.#options;
      await this.#judged(runtime.snapshot().previous);
      return runtime.rollback(expected);
    });
  }

  /** Resolves when no operation is running. */
  async settled(): Promise<void> {
    await this.#last;
  }

  async #replace({ directory, expectedGeneration }: Replacement): Promise<RuntimeSnapshot> {
    const { runtime, load, requireMemory } = this.#options;
    runtime.requireGeneration({ expectedGeneration });
    await requireMemory(directory);
    const { router, keepState } = await load(directory);
    try {
      // The order matters: a refused bundle must leave no record, and a bundle must not serve without one.
      runtime.requireReplaceable(router, { expectedGeneration });
      await keepState();
      this.#directories.set(router, directory);
      const isActive = router.bundleId !== null && router.bundleId === runtime.snapshot().bundleId;
      return isActive
        ? runtime.reload(router, { expectedGeneration })
        : runtime.replace(router, { expectedGeneration });
    } catch (thrown) {
      await router.close();
      throw thrown;
    }
  }

  #inTurn(trigger: ReplacementTrigger, run: () => Promise<RuntimeSnapshot>): Promise<RuntimeSnapshot> {
    const turn = this.#last.then(() => this.#reported(trigger, run));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #reported(trigger: ReplacementTrigger, run: () => Promise<RuntimeSnapshot>): Promise<RuntimeSnapshot> {
    const begin = this.#options.now();
    const { generation } = this.snapshot();
    try {
      const snapshot = await run();
      this.#report(trigger, begin, snapshot.generation === generation ? "same" : "done");
      return snapshot;
    } catch (thrown) {
      this.#report(trigger, begin, "refused", toSluiceError(thrown));
      throw thrown;
    }
  }

  #report(trigger: ReplacementTrigger, begin: number, outcome: ReplacementOutcome, error?: SluiceError): void {
    const { telemetry, now } = this.#options;
    const { generation, bundleId } = this.snapshot();
    emitSafely(telemetry, {
      event: "sluice.replacement",
      trigger,
      outcome,
      error_code: error?.code ?? null,
      problem: error?.message ?? null,
      generation,
      bundle_id: bundleId,
      latency_ms: Math.round((now() - begin) * 1000) / 1000,
    });
  }
}
