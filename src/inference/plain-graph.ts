import type { ModelSpec } from "./protocol.js";

/** A graph that maps a float matrix to a float matrix, with all weights inside. */
export const plainGraph = (bytes: Uint8Array): ModelSpec => ({ kind: "graph", graph: { bytes, externalData: [] } });
