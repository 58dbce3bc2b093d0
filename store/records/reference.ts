/** Result of `reference`: four or more hex digits are an id, everything else is a path. */
export type Reference = { readonly kind: "id"; readonly id: string } | { readonly kind: "file"; readonly path: string };
