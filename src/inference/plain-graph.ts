import type { ModelSpec } from "./protocol.js";

/** A graph that maps a float matrix to a float matrix and contains all its weights. */
export const plainGraph = (bytes: Uint8Array): ModelSpec => ({ kind: "graph", graph: { bytes, externalData: [] } });
