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

/** An integer; a negative one takes ten bytes. */
export const integerField = (field: number, value: number): Buffer =>
  Buffer.concat([varint(field * 8 + wireVarint), varint(value)]);

/** A float32 number. */
export function floatField(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([varint(field * 8 + wireFixed32), bytes]);
}

/** Text, raw bytes or a nested message. */
export const bytesField = (field: number, value: Buffer | string): Buffer => {
  const bytes = typeof value === "string" ? Buffer.from(value, "utf8") : value;
  return Buffer.concat([varint(field * 8 + wireBytes), varint(bytes.length), bytes]);
};
