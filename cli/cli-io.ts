import type { Host } from "../stages/doctor.js";

/** The environment of the command line, except files. `main.ts` passes the real one. */
export interface CliIo {
  readonly stdout: (text: string) => void;
  /** Writes progress, warnings, next steps and errors, unchanged. */
  readonly stderr: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  /** Width, in characters, of the terminal that each stream is connected to; null if it is not a terminal. */
  readonly columns: { readonly stdout: number | null; readonly stderr: number | null };
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock: () => number;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Changes the current folder. @throws if the folder does not exist */
  readonly enterFolder: (path: string) => void;
  readonly host: Host;
  /** User name of the operating system; null if there is none. */
  readonly user: string | null;
  /** Asks at the terminal without echo; null if there is no terminal. Rejects if the signal aborts. */
  readonly askSecret: ((prompt: string) => Promise<string>) | null;
  /** Asks at the terminal with echo; null if there is no terminal. Rejects if the signal aborts. */
  readonly ask: ((prompt: string) => Promise<string>) | null;
}
