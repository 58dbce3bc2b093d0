/** Durations of named stages, in the order in which they ran. */
export class StageTimes {
  private readonly clock: () => number;
  private readonly durations: [stage: string, milliseconds: number][] = [];

  /** @param clock  milliseconds */
  constructor(clock: () => number) {
    this.clock = clock;
  }

  async measure<T>(stage: string, work: () => T | Promise<T>): Promise<T> {
    const started = this.clock();
    const result = await work();
    this.durations.push([stage, this.clock() - started]);
    return result;
  }

  /** Of the stage that ended last. */
  last(): number {
    return this.durations.at(-1)?.[1] ?? 0;
  }

  milliseconds(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.durations);
  }
}
