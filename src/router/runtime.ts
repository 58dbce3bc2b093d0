import type { Lineage, RuntimeMode } from "../documents/response.js";
import type { BundleId } from "../documents/primitives.js";
import type { Router, SignedRelease } from "../documents/router.js";
import { command, say, SluiceError } from "../base/error.js";
import { isObject, requireArgument, hasMethods } from "../base/require-argument.js";

export interface RuntimeSnapshot {
  /** Starts at 1; increases by one with each replacement and each rollback. */
  readonly generation: number;
  readonly router: Router;
  readonly ready: boolean;
  readonly runtimeMode: RuntimeMode;
  readonly lineage: Lineage;
  readonly bundleId: BundleId | null;
  /** When this bundle first became active in the runtime. */
  readonly loadedAt: Date;
  /** The router that a rollback would activate; null before the first replacement. */
  readonly previous: Router | null;
}

export interface ExpectedGeneration {
  readonly expectedGeneration: number;
}

interface Held {
  readonly router: Router;
  readonly loadedAt: Date;
  /** Number of requests running on this router. */
  users: number;
}

/**
 * Holds the active router and its predecessor. A swap is one synchronous pointer change: requests in progress finish on
 * the router that they started on. A router that a rollback can no longer reach is closed after its last request.
 */
export class RouterRuntime {
  readonly #clock: () => Date;
  readonly #closing = new Set<Promise<void>>();
  readonly #retired = new Set<Held>();
  readonly #readinessListeners: ((ready: boolean) => void)[] = [];
  #active: Held;
  #previous: Held | null = null;
  #generation = 1;
  /** Highest signed rollback floor of all routers that were active here; never decreases. */
  #rollbackFloor = 0;

  /** @throws {SluiceError} ARGUMENT_INVALID */
  constructor(router: Router, options: { readonly clock?: (() => Date) | undefined } = {}) {
    requireRouter("RouterRuntime: router", router);
    this.#clock = options.clock ?? (() => new Date());
    this.#active = this.#hold(router);
    this.#raiseFloor(router);
  }

  /** The active router, for uses that need no consistent snapshot. */
  get router(): Router {
    return this.#active.router;
  }

  snapshot(): RuntimeSnapshot {
    const { router, loadedAt } = this.#active;
    const ready = router.integrityProblems().length === 0;
    this.sawReadiness(ready);
    return {
      generation: this.#generation,
      router,
      ready,
      runtimeMode: router.lineage.runtime_mode,
      lineage: router.lineage,
      bundleId: router.bundleId,
      loadedAt,
      previous: this.#previous?.router ?? null,
    };
  }

  /**
   * Calls the listener whenever somebody sees whether the active bundle is ready: at each snapshot and each answered
   * request. A bundle whose files are being read again counts as not ready, so the listener may have to look again.
   */
  onReadinessSeen(listener: (ready: boolean) => void): void {
    this.#readinessListeners.push(listener);
  }

  /** Passes on what a request has shown about the readiness of the active bundle. */
  sawReadiness(ready: boolean): void {
    for (const listener of this.#readinessListeners) listener(ready);
  }

  /**
   * Activates a validated, warmed router; the active router becomes the previous one.
   * @throws {SluiceError} those of `requireReplaceable`, in which case nothing has changed
   */
  replace(newRouter: Router, expected: ExpectedGeneration): RuntimeSnapshot {
    this.requireReplaceable(newRouter, expected);
    const dropped = this.#previous;
    this.#previous = this.#active;
    this.#active = this.#hold(newRouter, dropped);
    this.#generation += 1;
    this.#raiseFloor(newRouter);
    if (dropped !== null) this.#retire(dropped);
    return this.snapshot();
  }

  /**
   * Puts the active bundle, loaded again, into the place of the active router: the new folder and its approvals count,
   * generation and previous bundle stay.
   * @throws {SluiceError} those of `requireReplaceable`; nothing has changed then
   */
  reload(sameBundle: Router, expected: ExpectedGeneration): RuntimeSnapshot {
    this.requireReplaceable(sameBundle, expected);
    const before = this.#active;
    this.#active = { router: sameBundle, loadedAt: before.loadedAt, users: 0 };
    this.#retire(before);
    return this.snapshot();
  }

  /**
   * Activates the previous router again; a second rollback undoes the first.
   * @throws {SluiceError} GENERATION_STALE if another generation is active or there is no previous bundle;
   *   ROLLBACK_BELOW_FLOOR if the rollback floor of a bundle that was active here is above the previous release;
   *   BUNDLE_NOT_READY if the previous bundle is not ready; ARGUMENT_INVALID
   */
  rollback(expected: ExpectedGeneration): RuntimeSnapshot {
    this.requireGeneration(expected);
    if (this.#previous === null) {
      throw new SluiceError("GENERATION_STALE", "there is no previous bundle to roll back to", {
        hint: "A rollback requires an earlier replacement; load the bundle and replace the active one instead.",
      });
    }
    this.#requireRelease(this.#previous.router);
    requireReady(this.#previous.router);
    [this.#active, this.#previous] = [this.#previous, this.#active];
    this.#generation += 1;
    return this.snapshot();
  }

  /**
   * Throws the error with which `replace` would refuse this router, if any.
   * @throws {SluiceError} GENERATION_STALE, MODE_CHANGE, ROLLBACK_BELOW_FLOOR, BUNDLE_NOT_READY, ARGUMENT_INVALID
   */
  requireReplaceable(newRouter: Router, expected: ExpectedGeneration): void {
    requireRouter("replace: newRouter", newRouter);
    this.requireGeneration(expected);
    const mode = this.#active.router.lineage.runtime_mode;
    if (newRouter.lineage.runtime_mode !== mode) {
      throw new SluiceError(
        "MODE_CHANGE",
        `the runtime is in ${mode} mode, but the new router is in ${newRouter.lineage.runtime_mode} mode`,
        { hint: "Start another server for the other mode." },
      );
    }
    this.#requireRelease(newRouter);
    requireReady(newRouter);
  }

  /** Runs `fn` with the active router and its generation, and keeps the router open until `fn` has settled. */
  async withRouter<T>(fn: (router: Router, generation: number) => Promise<T>): Promise<T> {
    const held = this.#active;
    held.users += 1;
    try {
      return await fn(held.router, this.#generation);
    } finally {
      held.users -= 1;
      this.#closeWhenUnused(held);
    }
  }

  /** Closes every router. Call it after the last request has ended. @throws the first error from closing a router */
  async close(): Promise<void> {
    const held = new Set([this.#active, ...(this.#previous === null ? [] : [this.#previous]), ...this.#retired]);
    this.#retired.clear();
    await Promise.all([...this.#closing, ...[...held].map((entry) => entry.router.close())]);
  }

  /** A router keeps its request count, however it becomes active again. */
  #hold(router: Router, dropped: Held | null = null): Held {
    const known = [this.#previous, dropped, ...this.#retired].find((held) => held?.router === router);
    if (known === undefined || known === null) return { router, loadedAt: this.#clock(), users: 0 };
    this.#retired.delete(known);
    return known;
  }

  #retire(held: Held): void {
    if (held === this.#active || held === this.#previous) return;
    this.#retired.add(held);
    this.#closeWhenUnused(held);
  }

  #closeWhenUnused(held: Held): void {
    if (held.users > 0 || !this.#retired.delete(held)) return;
    const closed = held.router.close().catch(() => undefined);
    this.#closing.add(closed);
    void closed.then(() => this.#closing.delete(closed));
  }

  #raiseFloor(router: Router): void {
    this.#rollbackFloor = Math.max(this.#rollbackFloor, releaseOf(router)?.rollbackFloor ?? 0);
  }

  #requireRelease(router: Router): void {
    const signed = releaseOf(router);
    const floor = this.#rollbackFloor;
    if (signed === null || signed.release >= floor) return;
    throw new SluiceError("ROLLBACK_BELOW_FLOOR", `release ${signed.release} is below the signed floor ${floor}`, {
      hint: "Release the same content again with a new number.",
    });
  }

  /** @throws {SluiceError} GENERATION_STALE if another generation is active; ARGUMENT_INVALID */
  requireGeneration(expected: ExpectedGeneration): void {
    const holds = isObject(expected) && Number.isInteger(expected["expectedGeneration"]);
    requireArgument(holds, "expected", "{ expectedGeneration: the generation of your snapshot }", expected);
    if (expected.expectedGeneration === this.#generation) return;
    throw new SluiceError(
      "GENERATION_STALE",
      `found active generation ${this.#generation}, expected ${expected.expectedGeneration}`,
      {
        hint: say`Read the active generation again (${command`sluice-serve control status`}), check what changed, and decide again.`,
        details: { generation: this.#generation },
      },
    );
  }
}

function releaseOf(router: Router): SignedRelease | null {
  return router.monitor?.release ?? null;
}

/** @throws {SluiceError} ARGUMENT_INVALID if the value is not a router, for example a promise of one */
function requireRouter(what: string, router: Router): void {
  const holds = hasMethods(router, ["route", "integrityProblems", "close"]) && typeof router.lineage === "object";
  requireArgument(holds, what, "a loaded router", router);
}

/** @throws {SluiceError} BUNDLE_NOT_READY lists every problem of the router's bundle */
function requireReady(router: Router): void {
  const problems = router.integrityProblems();
  if (problems.length === 0) return;
  throw new SluiceError("BUNDLE_NOT_READY", `the bundle cannot be served: ${problems.join("; ")}`, {
    hint: say`Repair what is named; ${command`sluice bundle verify DIR`} lists the problems of a bundle.`,
  });
}
