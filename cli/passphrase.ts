import { optional, type ValuesOf } from "../src/base/options.js";
import { addAbortSignal, type Readable } from "node:stream";
import { SluiceError } from "../src/base/error.js";
import type { CommandContext } from "./context.js";
import { count, path } from "../stages/options/kinds.js";
import { readInput } from "../src/base/files.js";
import { createReadStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import { isatty, ReadStream } from "node:tty";

const environmentName = "SLUICE_PASSPHRASE";
const maxBytes = 4096;
/** Minimum length for a new key; not checked when an existing key is opened. */
const minCharacters = 12;

/** Options of every command that opens or creates a private key. A passphrase itself is never an option. */
export const passphraseOptions = {
  passphraseFd: optional(count, "file descriptor to read the passphrase from; only the first line is used"),
  passphraseFile: optional(path, "file to read the passphrase from; only the first line is used"),
} as const;

export type PassphraseSources = ValuesOf<typeof passphraseOptions>;

type PassphraseContext = Pick<CommandContext, "env" | "signal" | "askSecret" | "note">;

/**
 * Reads the passphrase from the first available source: descriptor, file, SLUICE_PASSPHRASE (even if empty), or the
 * terminal without echo. `undefined` if there is none. Never reads stdin unless requested.
 * @throws {SluiceError} USAGE (invalid descriptor, or first line longer than 4,096 bytes), FILE_NOT_FOUND, READ_FAILED
 */
export async function readPassphrase(
  context: PassphraseContext,
  sources: PassphraseSources,
  prompt: string,
): Promise<string | undefined> {
  const { passphraseFd, passphraseFile } = sources;
  if (passphraseFd !== undefined) {
    context.note(`reading the passphrase from descriptor ${passphraseFd}`);
    return firstLine(await readDescriptor(passphraseFd, context.signal));
  }
  if (passphraseFile !== undefined) return firstLine((await readInput(passphraseFile)).toString("utf8"));
  return context.env[environmentName] ?? (await context.askSecret?.(prompt));
}

/**
 * Reads a passphrase for a new key; a terminal prompts for it twice.
 * @throws {SluiceError} PASSPHRASE_MISSING (none or empty), PASSPHRASE_TOO_SHORT, USAGE (the two inputs differ), and
 *   the errors of `readPassphrase`
 */
export async function readNewPassphrase(context: PassphraseContext, sources: PassphraseSources): Promise<string> {
  let asked = false;
  const ask = context.askSecret;
  const askSecret =
    ask === null
      ? null
      : (prompt: string) => {
          asked = true;
          return ask(prompt);
        };
  const passphrase = await readPassphrase({ ...context, askSecret }, sources, "New passphrase: ");
  if (passphrase === undefined || passphrase === "") {
    const found = passphrase === undefined ? "no passphrase was given" : "the passphrase is empty";
    throw new SluiceError("PASSPHRASE_MISSING", `${found}, expected one for the new key`, {
      hint: `Use --passphrase-file FILE, --passphrase-fd N or ${environmentName}.`,
    });
  }
  const length = [...passphrase].length;
  if (length < minCharacters) {
    throw new SluiceError(
      "PASSPHRASE_TOO_SHORT",
      `the passphrase has ${length} characters; a new key needs at least ${minCharacters}`,
      { hint: "Use four or more random words." },
    );
  }
  if (asked && (await ask?.("Repeat the passphrase: ")) !== passphrase) {
    throw new SluiceError("USAGE", "the two passphrases differ", { hint: "Run the command again." });
  }
  return passphrase;
}

const firstLine = (text: string): string => /^[^\r\n]*/.exec(text)?.[0] ?? "";

async function readDescriptor(descriptor: number, signal: AbortSignal): Promise<string> {
  const stream = addAbortSignal(signal, openPassphrase(descriptor));
  let text = "";
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.length > maxBytes) {
      throw new SluiceError("USAGE", `--passphrase-fd ${descriptor}: more than ${maxBytes} bytes in the first line`);
    }
    if (text.includes("\n")) break;
  }
  return text;
}

function openPassphrase(descriptor: number): Readable {
  try {
    return openDescriptor(descriptor).setEncoding("utf8");
  } catch (cause) {
    throw new SluiceError("USAGE", `--passphrase-fd ${descriptor}: cannot be read`, {
      hint: "Use a descriptor that the shell opened, for example: --passphrase-fd 3 3<FILE",
      cause,
    });
  }
}

/**
 * Opens a descriptor as a byte stream. A pipe is read as a socket, because a file stream would keep the process alive
 * after an interruption.
 * @throws the system's error if the descriptor cannot be read
 */
export function openDescriptor(descriptor: number): Readable {
  const isFile = fstatSync(descriptor).isFile();
  if (isatty(descriptor)) return new ReadStream(descriptor);
  if (isFile) return createReadStream("", { fd: descriptor });
  return new Socket({ fd: descriptor, readable: true, writable: false });
}
