/**
 * Pre-authentication encoding of DSSE v1: the bytes that a signature covers. Lengths are byte counts.
 * Source: https://github.com/secure-systems-lab/dsse/blob/v1.0.2/protocol.md
 */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Buffer {
  const typeBytes = Buffer.byteLength(payloadType, "utf8");
  return Buffer.concat([Buffer.from(`DSSEv1 ${typeBytes} ${payloadType} ${payload.length} `, "utf8"), payload]);
}
