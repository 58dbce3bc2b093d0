import type { SluiceError } from "../base/error.js";
import type { WorkerSlot } from "./worker-slot.js";
import type { BuiltIndex, LoadProgress, ModelSpec } from "./protocol.js";

export interface LoadWatch {
  /** Called with the number of texts that the slowest thread has indexed, and the total. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Ends the load with INTERRUPTED when aborted. */
  readonly signal?: AbortSignal | undefined;
}

interface Loading {
  /** Number of texts indexed by each member. */
  readonly done: Map<WorkerSlot, number>;
  readonly watch: LoadWatch;
  readonly stopWatching: () => void;
  /** Members that have not loaded the model yet. */
  readonly missing: Set<WorkerSlot>;
  /** Members that load the model once the first one has built the shared index. */
  readonly waiting: readonly WorkerSlot[];
  readonly resolve: () => void;
  readonly reject: (error: SluiceError) => void;
}

/** The models of a pool with their bytes, from which new threads are filled, and the loads in progress. */
export class RetainedModels {
  /** By number; numbers are never reused. */
  readonly specs = new Map<number, ModelSpec>();
  private readonly loading = new Map<number, Loading>();
  private last = 0;

  /**
   * Registers and loads a model. For a scorer, one member builds the shared index first, and then the others open it.
   * `loaded` resolves when every member has loaded the model or has exited.
   */
  add(
    spec: ModelSpec,
    slots: readonly WorkerSlot[],
    watch: LoadWatch,
  ): { readonly model: number; readonly loaded: Promise<void> } {
    this.last += 1;
    const model = this.last;
    this.specs.set(model, spec);
    const giveUp = (): void => {
      for (const slot of slots) slot.giveUp(model);
    };
    const stopWatching = (): void => watch.signal?.removeEventListener("abort", giveUp);
    // Scorers that are loaded concurrently are built by different members.
    const builder = slots[model % slots.length];
    const first = spec.kind === "scorer" ? slots.filter((slot) => slot === builder) : slots;
    const loaded = new Promise<void>((resolve, reject) => {
      const done = new Map(first.map((slot) => [slot, 0]));
      const waiting = slots.filter((slot) => !first.includes(slot));
      this.loading.set(model, { missing: new Set(slots), waiting, done, watch, stopWatching, resolve, reject });
    });
    for (const slot of first) slot.load(model, spec);
    watch.signal?.addEventListener("abort", giveUp);
    if (watch.signal?.aborted === true) giveUp();
    return { model, loaded };
  }

  onLoading(slot: WorkerSlot, model: number, { done, total }: LoadProgress): void {
    const loading = this.loading.get(model);
    if (loading?.done.has(slot) !== true) return;
    loading.done.set(slot, done);
    loading.watch.onProgress?.(Math.min(...loading.done.values()), total);
  }

  /** @param built index built by this member for the others; null if it was given the index */
  onLoaded(slot: WorkerSlot, model: number, built: BuiltIndex | null): void {
    const spec = this.specs.get(model);
    const shared = spec?.kind === "scorer" && spec.built === null && built !== null ? { ...spec, built } : spec;
    if (shared !== undefined) this.specs.set(model, shared);
    const loading = this.loading.get(model);
    if (loading === undefined) return;
    loading.missing.delete(slot);
    loading.done.delete(slot);
    for (const other of loading.waiting)
      if (shared !== undefined && loading.missing.has(other)) other.load(model, shared);
    if (loading.missing.size !== 0) return;
    loading.stopWatching();
    this.loading.delete(model);
    loading.resolve();
  }

  /**
   * Drops a model that is being loaded. False if it had already been loaded, in which case loading it again should not
   * fail.
   */
  onRefused(model: number, error: SluiceError): boolean {
    const loading = this.loading.get(model);
    if (loading === undefined) return !this.specs.has(model);
    this.loading.delete(model);
    this.specs.delete(model);
    loading.stopWatching();
    loading.reject(error);
    return true;
  }

  /** Loads stop waiting for this member. */
  onEnded(slot: WorkerSlot): void {
    for (const model of this.loading.keys()) this.onLoaded(slot, model, null);
  }

  rejectAll(error: SluiceError): void {
    for (const { reject, stopWatching } of this.loading.values()) {
      stopWatching();
      reject(error);
    }
    this.loading.clear();
  }
}
