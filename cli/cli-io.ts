import type { Host } from "../stages/doctor/check.js";

/** Everything outside the command line that it may touch, apart from files; `main.ts` passes the real one. */
export interface CliIo {
  /** Writes text as it is; the result of a command. */
  readonly stdout: (text: string) => void;
  /** Writes text as it is; progress, warnings, next steps, errors. */
  readonly stderr: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person at a terminal reads stderr. */
  readonly isTerminal: boolean;
  /** Width, in characters, of the terminal that each stream is connected to; null if it is not a terminal. */
  readonly columns: { readonly stdout: number | null; readonly stderr: number | null };
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock: () => number;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Changes the current folder. @throws when the folder does not exist */
  readonly enterFolder: (path: string) => void;
  readonly host: Host;
  /** Name of the system's user; null where the system has none. */
  readonly user: string | null;
  /** Asks at the terminal without echo; null when nobody can be asked. Rejects when the signal aborts. */
  readonly askSecret: ((prompt: string) => Promise<string>) | null;
  /** Asks at the terminal and shows what is typed; null when nobody can be asked. Rejects when the signal aborts. */
  readonly ask: ((prompt: string) => Promise<string>) | null;
}
