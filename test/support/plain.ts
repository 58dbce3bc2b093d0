/**
 * T with plain strings in place of branded ones (`WorkflowId`, `Sha256`, `BundleId`), at every level: tests write ids as
 * literals, and a builder vouches for them.
 */
export type Plain<T> = T extends string
  ? T extends { readonly "is a workflow id": true } | { readonly "is a sha256": true }
    ? string
    : T
  : T extends readonly (infer E)[]
    ? readonly Plain<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Plain<T[K]> }
      : T;
