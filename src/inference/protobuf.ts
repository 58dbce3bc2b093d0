/** Fields of a Protocol Buffers message. Source: protobuf.dev, "Encoding". */
import { SluiceError } from "../base/error.js";

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

/** A message, or part of one, in pieces, so that large weights are copied only once, when the pieces are joined. */
export type MessagePieces = readonly Uint8Array[];

/** An integer; a negative one takes ten bytes. */
export const integerField = (field: number, value: number): MessagePieces => [
  varint(field * 8 + wireVarint),
  varint(value),
];

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

interface Field {
  readonly number: number;
  /** Value of a numeric field, rounded above 2^53; null for a length-delimited field. */
  readonly value: number | null;
  /** Content of a length-delimited field; empty for a numeric one. */
  readonly bytes: Uint8Array;
}

/**
 * The fields of a message, without decoding their content.
 * @throws {SluiceError} MODEL_INVALID  the bytes are not a message
 */
export function* fieldsOf(bytes: Uint8Array): Iterable<Field> {
  let offset = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[offset];
      if (byte === undefined || scale > 2 ** 63) throw malformed();
      offset += 1;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Uint8Array => {
    const end = offset + length;
    if (end > bytes.length) throw malformed();
    const content = bytes.subarray(offset, end);
    offset = end;
    return content;
  };
  const none = new Uint8Array();
  while (offset < bytes.length) {
    const key = varint();
    // Field numbers have 29 bits. A runtime may truncate a longer key and then read a field that this function does not
    // see.
    if (key >= 2 ** 32) throw malformed();
    const number = Math.floor(key / 8);
    switch (key % 8) {
      case 0:
        yield { number, value: varint(), bytes: none };
        break;
      case 1:
        take(8);
        yield { number, value: 0, bytes: none };
        break;
      case 2:
        yield { number, value: null, bytes: take(varint()) };
        break;
      case 5:
        take(4);
        yield { number, value: 0, bytes: none };
        break;
      default:
        throw malformed();
    }
  }
}

const malformed = (): SluiceError => new SluiceError("MODEL_INVALID", "the graph is not an ONNX model");
