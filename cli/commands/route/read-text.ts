import { createReadStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";
import { isatty, ReadStream } from "node:tty";
import { SluiceError } from "../../../src/errors/error.js";

const standardInput = 0;
/** No request has more characters than this; the schema of requests sets the limit proper. */
const maxCharacters = 65_536;

/** The text of `--text`; `-` reads it from stdin. @throws {SluiceError} READ_FAILED, TOO_LARGE */
export async function requestText(given: string, signal: AbortSignal): Promise<string> {
  if (given !== "-") return given;
  let text = "";
  for await (const chunk of addAbortSignal(signal, openStandardInput())) {
    text += String(chunk);
    if (text.length > maxCharacters) throw new SluiceError("TOO_LARGE", `stdin: more than ${maxCharacters} characters`);
  }
  return text;
}

/** A pipe is read as a socket: a file stream would keep the process waiting for its end after an interruption. */
function openStandardInput(): Readable {
  try {
    if (isatty(standardInput)) return new ReadStream(standardInput).setEncoding("utf8");
    if (fstatSync(standardInput).isFile()) return createReadStream("", { fd: standardInput, encoding: "utf8" });
    return new Socket({ fd: standardInput, readable: true, writable: false }).setEncoding("utf8");
  } catch (cause) {
    throw new SluiceError("READ_FAILED", "stdin: cannot be read", { hint: "Give the text with --text TEXT.", cause });
  }
}
