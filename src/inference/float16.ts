/** IEEE 754 half precision: 1 sign bit, 5 exponent bits, 10 fraction bits. Arrays contain the bit patterns. */

function widen(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Exact, because every half-precision number is also a float32 number. */
export const fromFloat16 = (halves: Uint16Array): Float32Array => Float32Array.from(halves, widen);
