import { runCli } from "../../../cli/run-cli.js";
import { testWorld } from "./test-world.js";

export interface OnPage {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `sluice init --open` in this process while `use` looks at its page; interrupts it after that. */
export const initOnPage = (args: readonly string[], use: (address: string) => Promise<void>): Promise<OnPage> =>
  onPage(["init", ...args, "--open"], use);

/** Runs a command that serves a page in this process while `use` looks at it; interrupts it after that. */
export async function onPage(args: readonly string[], use: (address: string) => Promise<void>): Promise<OnPage> {
  const stop = new AbortController();
  let open: (address: string) => void = () => undefined;
  const opened = new Promise<string>((resolve) => {
    open = resolve;
  });
  const world = testWorld({
    signal: stop.signal,
    stderr: (text) => {
      world.written.stderr += text;
      const [, address] = /^open +(\S+)\/$/mu.exec(text) ?? [];
      if (address !== undefined) open(address);
    },
  });
  const finished = runCli([...args, "--port", "0"], world);
  try {
    await Promise.race([opened.then(use), finished]);
  } finally {
    stop.abort();
    await finished;
  }
  return { code: await finished, ...world.written };
}
