import type { ModelSpec } from "./protocol.js";

/** A graph from one float matrix to another, all weights inside. */
export const plainGraph = (bytes: Uint8Array): ModelSpec => ({ kind: "graph", graph: { bytes, externalData: [] } });
