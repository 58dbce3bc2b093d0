/** Keys whose values are data of the user: their keys are preserved in both directions. */
const opaqueKeys = ["metadata", "context", "slices"] as const;
type OpaqueKey = (typeof opaqueKeys)[number];
const opaque: ReadonlySet<string> = new Set(opaqueKeys);

type CamelKey<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : S;

/** The TypeScript form of a wire document: camelCase keys, read-only at every level. */
export type Camel<T> = T extends readonly (infer E)[]
  ? readonly Camel<E>[]
  : T extends string
    ? T
    : T extends object
      ? { readonly [K in keyof T as K extends string ? CamelKey<K> : never]: K extends OpaqueKey ? T[K] : Camel<T[K]> }
      : T;

const toCamelKey = (key: string): string => key.replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase());
const toSnakeKey = (key: string): string =>
  key.replace(/At(?=\d)/g, "At_").replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

function convert(value: unknown, key: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, key));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [key(name), opaque.has(name) ? item : convert(item, key)]),
  );
}

/** Wire document (snake_case keys) to its TypeScript form. The values are shared, not copied, below opaque keys. */
export function toCamel<T>(wire: T): Camel<T> {
  return convert(wire, toCamelKey) as Camel<T>;
}

/** TypeScript form back to the wire document; inverse of `toCamel` for every document of this folder. */
export function toSnake<T>(value: Camel<T>): T {
  return convert(value, toSnakeKey) as T;
}
