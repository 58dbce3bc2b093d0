/** Trace context of a request from its caller (W3C Trace Context, version 00). */
export interface TraceContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** Span of the caller, 16 lower-case hex digits. */
  readonly parentId: string;
  readonly sampled: boolean;
}

const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/u;
const isZero = (hex: string): boolean => /^0+$/u.test(hex);

/** The context of a `traceparent` header; null when there is none or when it breaks the format. */
export function parseTraceparent(header: unknown): TraceContext | null {
  const found = typeof header === "string" ? traceparentPattern.exec(header) : null;
  if (found === null) return null;
  const [, version = "", traceId = "", parentId = "", flags = "", more] = found;
  const wrongVersion = version === "ff" || (version === "00" && more !== undefined);
  if (wrongVersion || isZero(traceId) || isZero(parentId)) return null;
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
