/** The part of `fetch` that the client uses; `globalThis.fetch` satisfies it. */
export type Fetch = (address: string, init: FetchInit) => Promise<FetchReply>;

export interface FetchInit {
  readonly method: "GET" | "POST";
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Following a redirect could send credentials and request texts to another host. */
  readonly redirect: "error";
}

export interface FetchReply {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  /** The body as a stream, read up to a limit. Without it, `text` reads the whole body. */
  readonly body?: FetchBody | null;
}

/** The part of a `ReadableStream` that the client uses. */
export interface FetchBody {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<void>;
  };
}

/** Maximum size of a response in bytes, after decompression; the largest response of the service is far smaller. */
const mostBytes = 2_097_152;

/** The body as text; null if it exceeds the limit, in which case the rest is not read. */
export async function boundedText(reply: FetchReply): Promise<string | null> {
  if (reply.body === undefined || reply.body === null) {
    const text = await reply.text();
    return text.length > mostBytes ? null : text;
  }
  const reader = reply.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value?.length ?? 0;
    if (bytes > mostBytes) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses a JSON object; null if the text is not one. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether every field has its declared type. */
export function hasTypes(value: JsonObject, types: Readonly<Record<string, "string" | "number" | "boolean">>): boolean {
  return Object.entries(types).every(([field, type]) => typeof value[field] === type);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
