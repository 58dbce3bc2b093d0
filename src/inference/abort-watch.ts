/**
 * Notifies many waiters of an abort through one listener per signal. With one listener per waiter, removal would take
 * linear time and Node would warn of a leak.
 */
export class AbortWatch {
  private readonly signals = new Map<AbortSignal, { readonly waiters: Set<() => void>; readonly stop: () => void }>();

  /** Calls `onAbort` when the signal is aborted, unless `remove` is called first. */
  add(signal: AbortSignal, onAbort: () => void): void {
    const watched = this.signals.get(signal) ?? this.watch(signal);
    watched.waiters.add(onAbort);
  }

  remove(signal: AbortSignal, onAbort: () => void): void {
    const watched = this.signals.get(signal);
    watched?.waiters.delete(onAbort);
    if (watched?.waiters.size !== 0) return;
    watched.stop();
    this.signals.delete(signal);
  }

  private watch(signal: AbortSignal) {
    const waiters = new Set<() => void>();
    const tellAll = (): void => {
      for (const onAbort of waiters) onAbort();
    };
    signal.addEventListener("abort", tellAll);
    const watched = { waiters, stop: () => signal.removeEventListener("abort", tellAll) };
    this.signals.set(signal, watched);
    return watched;
  }
}
