import { isUtf8 } from "node:buffer";

/** Supported encodings of a source. The last one means that the encoding differs from line to line. */
export type TextEncoding =
  | "UTF-8"
  | "UTF-16LE"
  | "UTF-16BE"
  | "Shift_JIS"
  | "EUC-JP"
  | "Windows-1252"
  | "UTF-8 and Windows-1252";

export interface DecodedText {
  readonly text: string;
  /** One of `TextEncoding`, or the name of the encoding that the caller gave. */
  readonly encoding: string;
}

/** Number of bytes examined for the zero bytes of UTF-16. */
const examinedBytes = 4096;
/** Share of zero bytes at even or odd offsets above which text without a byte order mark counts as UTF-16. */
const zeroShare = 0.3;

/**
 * Decodes a file in the encoding detected from its bytes: by byte order mark, then by the zero bytes of UTF-16, then as
 * UTF-8 if valid, otherwise as Windows-1252, which maps every byte. A file that mixes the last two is decoded line by
 * line. The byte order mark is removed.
 * @param given  name of the encoding, as `TextDecoder` accepts it. Default: detected
 */
export function decodeText(bytes: Uint8Array, given?: string): DecodedText {
  if (given !== undefined) return { text: new TextDecoder(given).decode(bytes), encoding: given };
  const encoding = encodingOf(bytes);
  return encoding === "Windows-1252" ? decodeLines(bytes) : { text: new TextDecoder(encoding).decode(bytes), encoding };
}

const newline = 0x0a;
/** First byte value beyond ASCII. */
const beyondAscii = 0x80;

/**
 * Characters of the bytes 0x80 to 0x9f (WHATWG index windows-1252). Written out, because `TextDecoder` of some supported
 * Node versions decodes these bytes as control characters.
 */
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Every other byte is the character of the same number. */
const decodeWindows1252 = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("latin1")
    .replace(/[\u0080-\u009f]/g, (letter) => windows1252[letter.charCodeAt(0) - beyondAscii] ?? letter);

/** Decodes each line as UTF-8 if it is valid, otherwise as Windows-1252. */
function decodeLines(bytes: Uint8Array): DecodedText {
  const lines: string[] = [];
  let mixed = false;
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(newline, from);
    const line = bytes.subarray(from, end === -1 ? bytes.length : end + 1);
    const asUtf8 = isUtf8(line);
    mixed ||= asUtf8 && line.some((byte) => byte >= beyondAscii);
    lines.push(asUtf8 ? new TextDecoder().decode(line) : decodeWindows1252(line));
    from += line.length;
  }
  return { text: lines.join(""), encoding: mixed ? "UTF-8 and Windows-1252" : "Windows-1252" };
}

type WholeEncoding = Exclude<TextEncoding, "UTF-8 and Windows-1252">;

function encodingOf(bytes: Uint8Array): WholeEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "UTF-16LE";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "UTF-16BE";
  const head = bytes.subarray(0, examinedBytes);
  if (zerosAt(head, 1) > zeroShare) return "UTF-16LE";
  if (zerosAt(head, 0) > zeroShare) return "UTF-16BE";
  if (isUtf8(bytes)) return "UTF-8";
  return japanese.find((name) => isJapanese(bytes, name)) ?? "Windows-1252";
}

const japanese = ["Shift_JIS", "EUC-JP"] as const;
/** Minimum share of kana among the letters beyond ASCII of a Japanese text. */
const kanaShare = 0.2;

/** Whether bytes are text in a Japanese encoding: all of them are valid, and many of the letters are kana. */
function isJapanese(bytes: Uint8Array, encoding: (typeof japanese)[number]): boolean {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    const letters = text.match(/[^\p{ASCII}]/gu)?.length ?? 0;
    return (text.match(/[\u3040-\u30ff]/g)?.length ?? 0) > kanaShare * letters;
  } catch {
    return false;
  }
}

/** Share of zero bytes among the bytes at even (0) or odd (1) offsets. */
function zerosAt(bytes: Uint8Array, parity: 0 | 1): number {
  const places = Math.floor(bytes.length / 2);
  if (places === 0) return 0;
  let zeros = 0;
  for (let place = parity; place < places * 2; place += 2) if (bytes[place] === 0) zeros += 1;
  return zeros / places;
}

/** Share of control characters above which a file is not text. */
const controlShare = 0.01;

/** Whether bytes are not text in any encoding, judged by the control characters at the beginning. */
export function isBinary(bytes: Uint8Array): boolean {
  const { text } = decodeText(bytes.subarray(0, examinedBytes));
  const control = [...text].filter((letter) => letter < " " && !"\t\n\f\r".includes(letter)).length;
  return control > controlShare * text.length;
}

/** Letters that UTF-8 bytes become when they are read as Windows-1252. */
const doubled = /[ÂÃ][\u0080-\u00bf\u0152-\u2122]|â€[\u0080-\u2122]/;

const byteOf = new Map([...windows1252].map((letter, index) => [letter, beyondAscii + index]));

/** A text whose UTF-8 bytes were read as Windows-1252, as it was before; any other text unchanged. */
export function decodedTwice(text: string): string {
  if (!doubled.test(text)) return text;
  const bytes = [...text].map((letter) => byteOf.get(letter) ?? letter.codePointAt(0) ?? 0);
  const before = Buffer.from(bytes);
  return bytes.every((byte) => byte <= 0xff) && isUtf8(before) ? before.toString("utf8") : text;
}
