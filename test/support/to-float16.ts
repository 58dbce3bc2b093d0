const bits = new DataView(new ArrayBuffer(4));

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
