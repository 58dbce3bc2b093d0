/** The part of `fetch` that the client uses; `globalThis.fetch` is one. */
export type Fetch = (address: string, init: FetchInit) => Promise<FetchReply>;

export interface FetchInit {
  readonly method: "GET" | "POST";
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** A redirect could carry credentials and texts to another host. */
  readonly redirect: "error";
}

export interface FetchReply {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}
