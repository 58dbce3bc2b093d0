import { addAbortSignal, type Readable } from "node:stream";
import { SluiceError } from "../../../src/errors/error.js";
import { openDescriptor } from "../../open-descriptor.js";

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

function openStandardInput(): Readable {
  try {
    return openDescriptor(standardInput);
  } catch (cause) {
    throw new SluiceError("READ_FAILED", "stdin: cannot be read", { hint: "Give the text with --text TEXT.", cause });
  }
}
