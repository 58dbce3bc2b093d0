/** Durations of named stages, in the order in which they ran. */
export class StageTimes {
  private readonly clock: () => number;
  private readonly durations: [stage: string, milliseconds: number][] = [];
  private told = 0;

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

  /** Of the stages that ended since the last call, so that what is told adds up. */
  sinceTold(): number {
    const stages = this.durations.slice(this.told);
    this.told = this.durations.length;
    return stages.reduce((sum, [, milliseconds]) => sum + milliseconds, 0);
  }

  milliseconds(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.durations);
  }
}
