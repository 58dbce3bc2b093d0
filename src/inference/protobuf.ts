/** Fields of a Protocol Buffers message. Source: protobuf.dev, "Encoding". */

const wireVarint = 0;
const wireBytes = 2;
const wireFixed32 = 5;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest % 128n) + 128);
    rest /= 128n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** A message, or a part of one, in pieces: large weights are copied once, when all pieces are put together. */
export type MessagePieces = readonly Uint8Array[];

/** An integer; a negative one takes ten bytes. */
export const integerField = (field: number, value: number): MessagePieces => [
  varint(field * 8 + wireVarint),
  varint(value),
];

/** A float32 number. */
export function floatField(field: number, value: number): MessagePieces {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return [varint(field * 8 + wireFixed32), bytes];
}

/** Text, raw bytes or a nested message. */
export function bytesField(field: number, value: MessagePieces | Uint8Array | string): MessagePieces {
  const pieces =
    typeof value === "string" ? [Buffer.from(value, "utf8")] : value instanceof Uint8Array ? [value] : value;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return [varint(field * 8 + wireBytes), varint(length), ...pieces];
}
