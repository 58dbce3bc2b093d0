/** One edit of a catalog. Texts of requests stand in it: it is written to files that the operator names, never printed unasked. */
export type CatalogChange =
  | { readonly kind: "add_examples"; readonly workflowId: string; readonly examples: readonly string[] }
  | { readonly kind: "move_example"; readonly from: string; readonly to: string; readonly example: string }
  | { readonly kind: "merge"; readonly into: string; readonly from: string }
  | { readonly kind: "describe"; readonly workflowId: string; readonly capability: string };
