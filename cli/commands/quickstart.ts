import { formatSeconds } from "../../src/documents/number-text.js";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FinishedJob, runDemonstration } from "../../stages/demonstration.js";
import { type ProbedDecision, probeServer, requestBody, type ShownDecision } from "../../stages/demonstration/probe.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { CommandContext } from "../context.js";
import { curlLine } from "../caller.js";
import type { Invocation } from "../../src/base/invocation.js";
import {
  type DemonstrationContext,
  quickstartSettings,
  type ToldStage,
  toldStages,
} from "../../stages/demonstration/settings.js";
import { fields } from "../table.js";
import { quickstartDocument } from "../../stages/demonstration/quickstart-document.js";
import type { WorkOf } from "../command.js";
import type { quickstartSpec } from "../specs/project.js";
import { requireFreePort } from "../../serve/listen.js";
import { reasonText } from "../../reports/reason-text.js";
import { type Calibration, statementOf } from "../../src/documents/calibration.js";
import { type ChildProcess, spawn } from "node:child_process";
import type { Workspace } from "../../store/workspace.js";

export const quickstart: WorkOf<typeof quickstartSpec> = async (context, args) => {
  const serverPort = args.check ? 0 : args.port;
  await requireFreePort(serverPort);
  openingLines.forEach(context.note);
  const started = context.clock();
  let lastMs = started;
  const onStage: DemonstrationContext["onStage"] = (stage, words) => {
    const now = context.clock();
    context.note(stageLine(stage, words, now - lastMs));
    lastMs = now;
  };
  const job = await runDemonstration({ ...context, onStage });
  const server = await startServer(context, serverPort);
  try {
    onStage("serve", `${server.address}, with every signature verified again`);
    if (!args.check) return await serve(context, server, job);
    return await check(context, server, job, { port: args.port, tookMs: lastMs - started });
  } finally {
    await server.stop();
  }
};

async function startServer(context: CommandContext, serverPort: number): Promise<ProductionServer> {
  const server = await startProductionServer(context.workspace, serverPort);
  context.signal.addEventListener("abort", () => void server.stop(), { once: true });
  return server;
}

/** Sends one request per kind of decision, then stops the server. */
async function check(
  context: CommandContext,
  server: ProductionServer,
  job: FinishedJob,
  { port, tookMs }: { readonly port: number; readonly tookMs: number },
) {
  const decisions = await probeServer(context, server.address);
  const code = await server.stop();
  if (code !== 0) throw new SluiceError("INTERNAL", `the server ended with exit code ${code}`);
  return {
    result: quickstartDocument(context.workspace, job, decisions.map(answerOf)),
    lines: [...told(job, decisions), "", `Total time ${formatSeconds(tookMs)}.`],
    next: [context.next("quickstart"), serverNext(context.workspace, port)],
  };
}

function answerOf({ text, ...answer }: ShownDecision): ProbedDecision {
  void text;
  return answer;
}

const told = ({ calibration }: FinishedJob, decisions: readonly ShownDecision[]): readonly string[] => [
  ...promiseLines(calibration),
  ...firstDecisionLines(decisions),
];

/** Runs the server until it is stopped. */
async function serve(context: CommandContext, server: ProductionServer, job: FinishedJob) {
  const decisions = await probeServer(context, server.address);
  const lines = [
    ...told(job, decisions),
    "",
    ...fields([
      ["Read", context.here(context.workspace.report)],
      ["Send", context.say([command`sluice route --server ${server.address} --text ${decisions[0]?.text ?? "help"}`])],
      ["or", await writtenCurlLine(context, server, decisions)],
      ["Your own file", context.say([command`sluice init FILE --into my-router`])],
      ["Stop it", "Ctrl-C"],
    ]),
  ];
  for (const line of lines) context.note(line);
  const code = await server.ended();
  if (code !== 0) throw new SluiceError("INTERNAL", `the server ended with exit code ${code}`);
  return {
    result: quickstartDocument(context.workspace, job, decisions.map(answerOf)),
    lines: [],
  };
}

async function writtenCurlLine(
  context: CommandContext,
  server: ProductionServer,
  [example]: readonly ShownDecision[],
): Promise<string> {
  const file = join(context.workspace.directory, "request.json");
  await writeFile(file, `${JSON.stringify(await requestBody(context, example?.text ?? ""), null, 2)}\n`);
  return curlLine(server.address, `@${context.here(file)}`);
}

function stageLine(stage: ToldStage, words: string, milliseconds: number): string {
  const place = `${toldStages.indexOf(stage) + 1} of ${toldStages.length}`;
  return `${place}  ${stage.padEnd(7)}  ${formatSeconds(milliseconds).padStart(6)}  ${words}`;
}

const meanings: Readonly<Record<string, string>> = {
  ROUTE: "run it",
  CLARIFY: "ask first",
  LLM_REQUIRED: "use your fallback",
};

/** Printed first: describes what the command will do. */
const openingLines: readonly string[] = [
  "Sluice reads a request and names the one workflow that handles it, or declines.",
  "This demonstration runs every step, from labelled requests to a signed bundle on a server.",
  "",
];

function promiseLines({ claims }: Calibration): readonly string[] {
  return ["", "The signed claim:", ...claims.map((claim) => `  ${statementOf(claim)}`)];
}

function firstDecisionLines(decisions: readonly ShownDecision[]): readonly string[] {
  return ["", "Three requests just sent to the server, and its decisions:", ...decisions.flatMap(decisionOf)];
}

function decisionOf(shown: ShownDecision): readonly string[] {
  const { text, decision, workflow_id: workflow, missing_inputs: missing, reason_code: reason, confidence } = shown;
  const inputs = missing.length === 0 ? "" : ` Ask for: ${missing.join(", ")}.`;
  return [
    `  "${text}"`,
    `    ${[decision, workflow ?? ""].join(" ").trim()} (${meanings[decision] ?? ""}), confidence ${confidence.toFixed(2)}: ${reasonText(reason)}${inputs}`,
  ];
}

/** The production server as a separate process, exactly as an operator starts it. */
interface ProductionServer {
  /** Base URL, e.g. http://127.0.0.1:8080. */
  readonly address: string;
  stop(): Promise<number>;
  /** Waits until the server exits and returns its exit code. */
  ended(): Promise<number>;
}

const serverFile = join(import.meta.dirname, "..", "..", "serve", "main.js");
const startLine = /listens on (http:\S+?):? /;

/** Arguments of the server, which must explicitly allow the demonstration bundle. */
function serverArguments(workspace: Workspace, port: number): readonly string[] {
  const files = ["--bundle", workspace.bundle, "--trust", workspace.trust];
  return [...files, "--allow-demonstration", "--authorizer", "local", "--port", String(port)];
}

const serverNext = (workspace: Workspace, port: number): Invocation => ({
  command: "sluice-serve",
  args: serverArguments(workspace, port),
});

/**
 * Starts `sluice-serve` and waits until it listens.
 * @throws {SluiceError} with the error code reported by the server
 */
async function startProductionServer(workspace: Workspace, port: number): Promise<ProductionServer> {
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
      : say`Run: ${command`sluice bundle verify --environment ${quickstartSettings.environment}`}`,
  });
}
