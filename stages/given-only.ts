/** The type of an object without its absent values. */
type GivenOnly<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The values that were given: the same object without its absent ones. */
export function givenOnly<T extends object>(values: T): GivenOnly<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as GivenOnly<T>;
}
