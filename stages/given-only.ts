/** The type of an object without its undefined values. */
type GivenOnly<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy of an object without its undefined values. */
export function givenOnly<T extends object>(values: T): GivenOnly<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as GivenOnly<T>;
}
