/** IEEE 754 half precision: 1 sign bit, 5 exponent bits, 10 fraction bits. Arrays of such numbers hold their bits. */

const bits = new DataView(new ArrayBuffer(4));

function widen(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Rounds to the nearest half, ties to even. */
function narrow(value: number): number {
  bits.setFloat32(0, value);
  const sign = (bits.getUint32(0) >>> 16) & 0x8000;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65_520) return sign | 0x7c00;
  const exponent = Math.max(-14, ((bits.getUint32(0) >>> 23) & 0xff) - 127);
  const steps = roundHalfToEven(size / 2 ** (exponent - 10));
  // A normal number's steps start at 1024: adding them carries into the exponent by itself.
  return sign | (steps + (exponent + 14) * 1024);
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** The bits of the nearest halves. */
export const toFloat16 = (values: Float32Array): Uint16Array => Uint16Array.from(values, narrow);

/** Exact: every half is a float32 number. */
export const fromFloat16 = (halves: Uint16Array): Float32Array => Float32Array.from(halves, widen);
