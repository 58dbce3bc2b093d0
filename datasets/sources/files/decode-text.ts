/** Encodings that a source may have; the last one is assumed when no other fits. */
export type TextEncoding = "UTF-8" | "UTF-16LE" | "UTF-16BE" | "Windows-1252";

export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** Bytes that are examined for the zero bytes of UTF-16. */
const examinedBytes = 4096;
/** Share of zero bytes at even or odd places above which text without a mark counts as UTF-16. */
const zeroShare = 0.3;

/**
 * Text of a file in the encoding that its bytes show: a byte order mark decides; then the zero bytes of UTF-16;
 * then valid UTF-8; anything else is read as Windows-1252, which maps every byte. The mark is dropped.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const encoding = encodingOf(bytes);
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

function encodingOf(bytes: Uint8Array): TextEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "UTF-16LE";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "UTF-16BE";
  const head = bytes.subarray(0, examinedBytes);
  if (zerosAt(head, 1) > zeroShare) return "UTF-16LE";
  if (zerosAt(head, 0) > zeroShare) return "UTF-16BE";
  return isUtf8(bytes) ? "UTF-8" : "Windows-1252";
}

/** Share of zero bytes among the bytes at even (0) or odd (1) places. */
function zerosAt(bytes: Uint8Array, parity: 0 | 1): number {
  const places = Math.floor(bytes.length / 2);
  if (places === 0) return 0;
  let zeros = 0;
  for (let place = parity; place < places * 2; place += 2) if (bytes[place] === 0) zeros += 1;
  return zeros / places;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
