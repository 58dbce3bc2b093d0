/**
 * Why there is no answer. `timeout`: the deadline passed. `cancelled`: the caller's signal. `unreachable`: the exchange
 * failed before a response was complete. `malformed`: the response is not one of this service, for example that of a proxy.
 */
export type NoAnswerReason = "timeout" | "cancelled" | "unreachable" | "malformed";

/** No usable response arrived. The message never contains the request. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly reason: NoAnswerReason;
  /** Status of a malformed response; null without a response. */
  readonly status: number | null;

  constructor(
    reason: NoAnswerReason,
    message: string,
    more: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.reason = reason;
    this.status = more.status ?? null;
  }
}
