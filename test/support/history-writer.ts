import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface WriterOptions {
  readonly path: string;
  /** Begins each record, so that writers differ. */
  readonly name: string;
  readonly count: number;
  /** Bytes of each record; by default the shortest. */
  readonly size?: number;
  /** Limit of every file that the process writes, in blocks of 1,024 bytes. */
  readonly fileBlocks?: number;
  readonly onStarted?: (child: ChildProcess) => void;
  /** Sees every line as it is acknowledged. */
  readonly onAcknowledged?: (child: ChildProcess, acknowledged: readonly string[]) => void;
}

export interface WriterOutcome {
  /** Ids of the records whose append returned, in order. */
  readonly acknowledged: readonly string[];
  /** Code of the error that ended it; null when there was none. */
  readonly error: string | null;
}

const program = fileURLToPath(new URL("./history-writer-program.js", import.meta.url));

function start({ path, name, count, size = 0, fileBlocks }: WriterOptions): ChildProcess {
  const args = [program, path, name, String(count), String(size)];
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const env = { ...process.env, NODE_V8_COVERAGE: undefined };
  if (fileBlocks === undefined) return spawn(process.execPath, args, { stdio: [...stdio], env });
  const script = `trap "" XFSZ; ulimit -f ${fileBlocks}; exec "$0" "$@"`;
  return spawn("bash", ["-c", script, process.execPath, ...args], { stdio: [...stdio], env });
}

/** Runs a process that opens a history, creating it if missing, and appends records; resolves when it has ended. */
export function appendInProcess(options: WriterOptions): Promise<WriterOutcome> {
  return new Promise((resolve, reject) => {
    const child = start(options);
    const acknowledged: string[] = [];
    options.onStarted?.(child);
    let rest = "";
    let error: string | null = null;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith("error ")) error = line.slice("error ".length);
        else acknowledged.push(line);
      }
      options.onAcknowledged?.(child, acknowledged);
    });
    // A writer that is killed while it writes may reset its pipe; what came before counts, and "close" follows.
    child.stdout?.on("error", () => undefined);
    child.once("error", reject);
    child.once("close", () => resolve({ acknowledged, error }));
  });
}
