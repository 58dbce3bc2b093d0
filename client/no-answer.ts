/**
 * Why there is no answer. `timeout`: the deadline passed. `cancelled`: the caller aborted its signal. `unreachable`:
 * the connection failed before the response was complete. `malformed`: the response did not come from this service but,
 * for example, from a proxy.
 */
export type NoAnswerReason = "timeout" | "cancelled" | "unreachable" | "malformed";

/** No usable response arrived. The message never contains the request. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly reason: NoAnswerReason;
  /** HTTP status of a malformed response; null if there was no response. */
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
