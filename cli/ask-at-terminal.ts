import type { Readable, Writable } from "node:stream";

/** The required features of a terminal input, such as the process's stdin. */
interface TerminalInput extends Readable {
  setRawMode(raw: boolean): unknown;
}

const controlC = "\u0003";
const backspace = new Set(["\u007f", "\b"]);
const lineEnd = new Set(["\r", "\n", "\u0004"]);

interface AskOptions {
  /** Aborted by Ctrl-C, which a terminal in raw mode sends as a character. */
  readonly interruption: AbortController;
  /** Whether to show what is typed; never for a secret. Default false. */
  readonly echo?: boolean;
}

/** Asks for one line at a terminal. @throws the abort reason of the signal */
export function askAtTerminal(
  prompt: string,
  input: TerminalInput,
  output: Writable,
  { interruption, echo = false }: AskOptions,
): Promise<string> {
  output.write(prompt);
  input.setRawMode(true);
  input.setEncoding("utf8");
  input.resume();
  return new Promise((resolve, reject) => {
    let typed: readonly string[] = [];
    const finish = (settle: () => void): void => {
      input.off("data", onData);
      interruption.signal.removeEventListener("abort", onAbort);
      input.setRawMode(false);
      input.pause();
      output.write("\n");
      settle();
    };
    const onAbort = (): void => finish(() => reject(interruption.signal.reason));
    const onData = (chunk: string | Buffer): void => {
      for (const character of String(chunk)) {
        if (character === controlC) return interruption.abort();
        if (lineEnd.has(character)) return finish(() => resolve(typed.join("")));
        if (echo) output.write(backspace.has(character) ? "\b \b" : character);
        typed = backspace.has(character) ? typed.slice(0, -1) : [...typed, character];
      }
    };
    interruption.signal.addEventListener("abort", onAbort);
    input.on("data", onData);
  });
}
