/** Values in the order in which their promises are fulfilled; none of them may be rejected. */
export async function* asSettled<T>(promises: readonly Promise<T>[]): AsyncIterable<T> {
  const settled: T[] = [];
  let wake = (): void => undefined;
  for (const promise of promises) {
    void promise.then((value) => {
      settled.push(value);
      wake();
    });
  }
  for (let given = 0; given < promises.length; given += 1) {
    if (given >= settled.length) await new Promise<void>((resolve) => (wake = resolve));
    yield settled[given] as T;
  }
}
