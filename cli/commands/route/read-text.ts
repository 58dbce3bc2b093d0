import { readStandardInput } from "../../read-standard-input.js";

/** No request has more bytes than this; the schema of requests sets the limit proper. */
const maxBytes = 65_536;

/** The text of `--text`; `-` reads it from stdin. @throws {SluiceError} READ_FAILED, TOO_LARGE */
export async function requestText(given: string, signal: AbortSignal): Promise<string> {
  return given === "-" ? (await readStandardInput(signal, maxBytes)).toString("utf8") : given;
}
