import { formatSeconds } from "../../src/domain/number-text.js";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FinishedJob, runJob } from "../../workbench/demonstration/run-job.js";
import {
  probeBody,
  probeCases,
  type ProbedDecision,
  probeServer,
  type ShownDecision,
} from "../../workbench/demonstration/probe.js";
import { type ProductionServer, serverLine, startProductionServer } from "../quickstart/production-server.js";
import { SluiceError } from "../../src/errors/error.js";
import type { CommandContext } from "../context.js";
import { asTyped } from "../../src/errors/as-typed.js";
import { curlLine } from "../curl-line.js";
import { shellLine } from "../shell-line.js";
import { firstDecisionLines, openingLines, promiseLines } from "../quickstart/first-minute.js";
import type { DemonstrationContext } from "../../workbench/demonstration/demonstration-context.js";
import { stageLine } from "../quickstart/told-stages.js";
import { withHistory } from "../../workbench/records/with-history.js";
import { fields } from "../table.js";
import { quickstartDocument } from "../../workbench/demonstration/quickstart-document.js";
import type { WorkOf } from "../command.js";
import type { quickstartShape } from "../shapes/project.js";
import { requireFreePort } from "../../serve/free-port.js";
import { loadCatalog } from "../../src/catalog/load.js";
import { bundleFiles } from "../../src/artifacts/bundle-layout.js";

export const quickstart: WorkOf<typeof quickstartShape> = async (context, args) => {
  const serverPort = args.check ? 0 : args.port;
  await requireFreePort(serverPort);
  openingLines.forEach(context.note);
  const tell: DemonstrationContext["tell"] = (...stage) => context.note(stageLine(...stage));
  const job = await withHistory(context, "write", (stage) =>
    runJob(stage, { ...context, tell }, { compare: args.compare }),
  );
  const started = context.clock();
  const server = await startServer(context, serverPort);
  try {
    const start = context.clock() - started;
    context.note(stageLine("serve", `${server.address}, with every signature verified again`, start));
    const finished = { ...job, stageMs: { ...job.stageMs, start } };
    return args.check ? await check(context, server, finished, args.port) : await serve(context, server, finished);
  } finally {
    await server.stop();
  }
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

async function startServer(context: CommandContext, serverPort: number): Promise<ProductionServer> {
  const server = await startProductionServer(context.workspace, serverPort);
  context.signal.addEventListener("abort", () => void server.stop(), { once: true });
  return server;
}

/** One request for each decision, then the end. */
async function check(context: CommandContext, server: ProductionServer, job: FinishedJob, port: number) {
  const decisions = await probe(context, server);
  const code = await server.stop();
  if (code !== 0) throw new SluiceError("INTERNAL", `the server ended with exit code ${code}`);
  return {
    result: quickstartDocument(context.workspace, job, decisions.map(answerOf)),
    lines: [...told(job, decisions), "", `All in all ${formatSeconds(sum(Object.values(job.stageMs)))}.`],
    next: [context.nextLine("quickstart"), serverLine(context.workspace, port)],
  };
}

/** @throws {SluiceError} GATE_NOT_MET  the bundle does not show each decision, or the server decides otherwise */
async function probe(context: CommandContext, server: ProductionServer): Promise<readonly ShownDecision[]> {
  const cases = await probeCases(context.workspace);
  if (cases.length < 3) {
    throw new SluiceError("GATE_NOT_MET", `the bundle shows ${cases.length} of the 3 decisions`, {
      hint: context.nextLine("calibrate", "show"),
    });
  }
  return probeServer(server.address, cases, await catalogOf(context));
}

/** The answer without the text of the request. */
function answerOf({ text, ...answer }: ShownDecision): ProbedDecision {
  void text;
  return answer;
}

const told = ({ calibration }: FinishedJob, decisions: readonly ShownDecision[]): readonly string[] => [
  ...promiseLines(calibration),
  ...firstDecisionLines(decisions),
];

/** Serves until the server is stopped. */
async function serve(context: CommandContext, server: ProductionServer, job: FinishedJob) {
  const decisions = await probe(context, server);
  const own = ["init", "FILE", "--into", "my-router"];
  const lines = [
    ...told(job, decisions),
    "",
    ...fields([
      ["Read", context.here(context.workspace.report)],
      ["Ask it", context.nextLine("route", "--server", server.address, "--text", decisions[0]?.text ?? "help")],
      ["or", await writtenCurlLine(context, server, decisions)],
      ["Your own file", shellLine(["sluice", ...own])],
      ["Stop it", "Ctrl-C"],
    ]),
  ];
  for (const line of lines) context.note(asTyped(line, context.env));
  const code = await server.ended();
  if (code !== 0) throw new SluiceError("INTERNAL", `the server ended with exit code ${code}`);
  return {
    result: quickstartDocument(context.workspace, job, decisions.map(answerOf)),
    lines: [],
  };
}

/** The same question for any HTTP client; its body is written to a file. */
async function writtenCurlLine(
  context: CommandContext,
  server: ProductionServer,
  [example]: readonly ShownDecision[],
): Promise<string> {
  const file = join(context.workspace.directory, "request.json");
  const { version, workflowIds } = await catalogOf(context);
  await writeFile(file, `${JSON.stringify(probeBody(example?.text ?? "", version, workflowIds), null, 2)}\n`);
  return curlLine(server.address, `@${context.here(file)}`);
}

async function catalogOf(context: CommandContext) {
  const { catalog } = await loadCatalog(join(context.workspace.bundle, bundleFiles.catalog));
  return { version: catalog.catalogVersion, workflowIds: catalog.workflows.map((w) => w.workflowId) };
}
