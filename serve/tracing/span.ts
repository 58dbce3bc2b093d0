/** A finished span, ready for export. Attributes contain codes, versions and counts, never request texts. */
export interface Span {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: "server" | "internal";
  /** Milliseconds since 1970 UTC, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly failed: boolean;
}

const kinds = { internal: 1, server: 2 } as const;
const statusError = 2;

export interface TraceResource {
  readonly serviceName: string;
  readonly serviceVersion: string;
}

/** Body of an OTLP/HTTP export request in its JSON form (OpenTelemetry protocol 1.x, `ExportTraceServiceRequest`). */
export function otlpTraces(spans: readonly Span[], resource: TraceResource): object {
  const attributes = { "service.name": resource.serviceName, "service.version": resource.serviceVersion };
  return {
    resourceSpans: [
      {
        resource: { attributes: otlpAttributes(attributes) },
        scopeSpans: [{ scope: { name: "sluice-serve" }, spans: spans.map(otlpSpan) }],
      },
    ],
  };
}

function otlpSpan(span: Span): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId === null ? {} : { parentSpanId: span.parentId }),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.endedAt),
    attributes: otlpAttributes(span.attributes),
    status: span.failed ? { code: statusError } : {},
  };
}

function nanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds * 1000)) * 1000n);
}

function otlpAttributes(values: Span["attributes"]): readonly object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: otlpValue(value) }));
}

function otlpValue(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
