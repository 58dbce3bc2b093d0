import { spawn } from "node:child_process";
import type { SluiceError } from "../src/base/error.js";

export interface UserCommand {
  /** Line for /bin/sh. */
  readonly command: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** `inherit` shows the command's stderr, so that a device can prompt its owner; `ignore` keeps what it says out of logs. */
  readonly stderr: "inherit" | "ignore";
  /** Aborting it ends the command early. */
  readonly signal: AbortSignal;
  readonly failed: (text: string, cause?: unknown) => SluiceError;
}

/** Runs a command of the user and resolves with its output. @throws the error of `failed`, or the abort reason */
export function runCommand(options: UserCommand, input: Uint8Array): Promise<Buffer> {
  const { command, timeoutMs, maxOutputBytes, stderr, signal, failed } = options;
  return new Promise((resolve, reject) => {
    // A separate process group, so that processes started by the shell end with it.
    const child = spawn("/bin/sh", ["-c", command], { stdio: ["pipe", "pipe", stderr], detached: true });
    const settle = (run: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      run();
    };
    const stop = (reason: unknown): void => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      settle(() => reject(reason));
    };
    const onAbort = (): void => stop(signal.reason);
    const timer = setTimeout(() => stop(failed(`did not end within ${timeoutMs / 1000} s`)), timeoutMs);
    signal.addEventListener("abort", onAbort);
    const output: Buffer[] = [];
    let bytes = 0;
    child.stdout?.on("data", (part: Buffer) => {
      output.push(part);
      bytes += part.length;
      if (bytes > maxOutputBytes) stop(failed(`printed more than ${maxOutputBytes} bytes`));
    });
    // A command that exits without reading all input is judged by its output.
    child.stdin?.on("error", () => undefined).end(input);
    child.on("error", (cause) => settle(() => reject(failed("cannot be started", cause))));
    child.on("close", (code) => {
      settle(() => (code === 0 ? resolve(Buffer.concat(output)) : reject(failed(`ended with ${code ?? "a signal"}`))));
    });
  });
}
