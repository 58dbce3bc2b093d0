import { type Lineage, readLineage } from "./answer.js";
import type { JsonObject } from "./json.js";

/** State of the server. */
export interface Health extends Lineage {
  readonly status: "ok" | "not_ready" | "drifting" | (string & {});
  /** Whether the active bundle is able to serve requests. */
  readonly ready: boolean;
  /** Increases with every replacement and rollback. */
  readonly generation: number;
}

/** Reads the state from the body of `/health` or `/health/ready`; null if the body has another shape. */
export function readHealth(body: JsonObject): Health | null {
  const lineage = readLineage(body);
  const { status, ready, generation } = body;
  if (lineage === null || typeof status !== "string" || typeof ready !== "boolean") return null;
  return typeof generation === "number" ? { status, ready, generation, ...lineage } : null;
}
