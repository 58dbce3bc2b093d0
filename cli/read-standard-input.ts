import { addAbortSignal, type Readable } from "node:stream";
import { SluiceError } from "../src/base/error.js";
import { openDescriptor } from "./passphrase.js";

const standardInput = 0;

/** Reads all of stdin. @param limit maximum number of bytes @throws {SluiceError} READ_FAILED, TOO_LARGE */
export async function readStandardInput(signal: AbortSignal, limit = 256 * 1024 * 1024): Promise<Buffer> {
  const parts: Buffer[] = [];
  let total = 0;
  for await (const part of addAbortSignal(signal, openStandardInput())) {
    const bytes = Buffer.from(part as Uint8Array | string);
    total += bytes.length;
    if (total > limit) throw new SluiceError("TOO_LARGE", `stdin: more than ${limit} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

function openStandardInput(): Readable {
  try {
    return openDescriptor(standardInput);
  } catch (cause) {
    throw new SluiceError("READ_FAILED", "stdin: cannot be read", { hint: "Name a file instead of -.", cause });
  }
}

/** Maximum number of bytes to read for a request text; the schema of requests has a stricter limit. */
const maxBytes = 65_536;

/** The text of `--text`; `-` reads it from stdin. @throws {SluiceError} READ_FAILED, TOO_LARGE */
export async function requestText(given: string, signal: AbortSignal): Promise<string> {
  return given === "-" ? (await readStandardInput(signal, maxBytes)).toString("utf8") : given;
}
