import { SluiceError } from "../base/error.js";
import { printable } from "../base/text.js";

const maxNameBytes = 255;

function decodeName(name: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(name);
  } catch {
    return undefined;
  }
}

function fault(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return "names no file";
  if (name.includes("/")) return "contains a slash";
  if (name.includes("\\")) return "contains a backslash";
  if (/\p{Cc}/u.test(name)) return "contains a control character";
  if (Buffer.byteLength(name, "utf8") > maxNameBytes) return `is longer than ${maxNameBytes} bytes`;
  if (name.normalize("NFC") !== name) return "is not in Unicode NFC";
  return undefined;
}

/**
 * Decodes one path component as stored on disk.
 * @param parent  path of its folder, for the message
 * @throws {SluiceError} FILE_REFUSED  for names that tools interpret differently, or that two systems spell differently
 */
export function readFileName(name: Buffer, parent: string): string {
  const text = decodeName(name);
  const found = text === undefined ? "is not valid UTF-8" : fault(text);
  if (text !== undefined && found === undefined) return text;
  const shown = `${parent}/${printable(name.toString("utf8"))}`;
  throw new SluiceError("FILE_REFUSED", `${shown}: the name ${found}`, { details: { file: shown } });
}

/**
 * Checks a relative path with `/` between its components.
 * @throws {SluiceError} FILE_REFUSED  for absolute paths, `..` and every name that `readFileName` refuses
 */
export function checkRelativePath(path: string): void {
  for (const name of path.split("/")) {
    const found = fault(name);
    if (found === undefined) continue;
    const shown = printable(path);
    throw new SluiceError("FILE_REFUSED", `${shown}: "${printable(name)}" ${found}`, { details: { file: shown } });
  }
}
