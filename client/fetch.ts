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
