import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { SluiceError } from "../../src/errors/error.js";
import { shellLine } from "../shell-line.js";
import { quickstartSettings } from "../../workbench/demonstration/settings.js";
import type { Workspace } from "../../workbench/workspace.js";

/** The production server as a process of its own, exactly as an operator starts it. */
export interface ProductionServer {
  /** Base address, e.g. http://127.0.0.1:8080. */
  readonly address: string;
  /** Asks the server to finish and waits until it has ended; the exit code. */
  stop(): Promise<number>;
  /** Waits until the server ends by itself; the exit code. */
  ended(): Promise<number>;
}

const serverFile = join(import.meta.dirname, "..", "..", "serve", "main.js");
const startLine = /listens on (http:\S+?):? /;

/** The demonstration is served on request only. */
function serverArguments(workspace: Workspace, port: number): readonly string[] {
  const files = ["--bundle", workspace.bundle, "--trust", workspace.trust];
  return [...files, "--allow-demonstration", "--authorizer", "local", "--port", String(port)];
}

/** The line that starts the same server again. */
export function serverLine(workspace: Workspace, port: number): string {
  return shellLine(["npx", "sluice-serve", ...serverArguments(workspace, port)]);
}

/**
 * Starts `sluice-serve` and waits until it listens.
 * @throws {SluiceError} with the code that the server reports
 */
export async function startProductionServer(workspace: Workspace, port: number): Promise<ProductionServer> {
  const child = spawn(process.execPath, [serverFile, ...serverArguments(workspace, port), "--log", "none"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exit = new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  const address = await untilListening(child, exit);
  return {
    address,
    ended: () => exit,
    stop: () => {
      child.kill("SIGTERM");
      return exit;
    },
  };
}

function untilListening(child: ChildProcess, exit: Promise<number>): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const address = startLine.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    exit.then((code) => reject(notStarted(code, said)), reject);
  });
}

function notStarted(code: number, said: string): SluiceError {
  const first = said.split("\n").find((line) => line.startsWith("error ")) ?? `exit code ${code}`;
  const busy = first.includes("PORT_IN_USE");
  return new SluiceError(busy ? "PORT_IN_USE" : "PRODUCTION_CONFIGURATION", `sluice-serve did not start: ${first}`, {
    hint: busy
      ? "Choose another port with --port."
      : `Run: sluice bundle verify --environment ${quickstartSettings.environment}`,
  });
}
