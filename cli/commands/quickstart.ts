import { formatSeconds } from "../../src/domain/number-text.js";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FinishedJob } from "../quickstart/run-job.js";
import type { ProbedDecision, ShownDecision } from "../quickstart/probe.js";
import type { ProductionServer } from "../quickstart/production-server.js";
import { SluiceError } from "../../src/errors/error.js";
import { defineCommand } from "../command.js";
import type { CommandContext } from "../context.js";
import { asTyped } from "../../src/errors/as-typed.js";
import { curlLine } from "../curl-line.js";
import { shellLine } from "../shell-line.js";
import { firstDecisionLines, openingLines, promiseLines } from "../quickstart/first-minute.js";
import { stageLine } from "../quickstart/told-stages.js";
import { flag, preset } from "../options.js";
import { port } from "../parsers.js";
import { withHistory } from "../../workbench/records/with-history.js";
import { commandResult } from "../result.js";
import { fields } from "../table.js";
import { quickstartDocument } from "../quickstart/document.js";

export const quickstart = defineCommand({
  name: ["quickstart"],
  describe: "Run the whole job on the shipped data with demonstration keys, then serve the approved bundle",
  positionals: {},
  options: {
    port: preset(port, "8080", "port of the production server on 127.0.0.1"),
    check: flag("send one request for each decision to the server, stop it and end"),
    compare: flag("also fit, score and certify the lexical models, and compare the decisions of both"),
  },
  examples: [
    ["sluice quickstart", "everything, then a server on port 8080"],
    ["sluice quickstart --check --compare --json", "everything, beside the lexical models, as one JSON document"],
  ],
  run: async (context, args) => {
    const { requireFreePort } = await import("../free-port.js");
    const { runJob } = await import("../quickstart/run-job.js");
    const serverPort = args.check ? 0 : args.port;
    await requireFreePort(serverPort);
    openingLines.forEach(context.note);
    const job = await withHistory(context, "write", (stage) => runJob(stage, context, { compare: args.compare }));
    const started = context.clock();
    const server = await startServer(context, serverPort);
    try {
      const start = context.clock() - started;
      context.note(stageLine("serve", `${server.address}, after every signature was verified again`, start));
      const finished = { ...job, stageMs: { ...job.stageMs, start } };
      return args.check ? await check(context, server, finished, args.port) : await serve(context, server, finished);
    } finally {
      await server.stop();
    }
  },
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

async function startServer(context: CommandContext, serverPort: number): Promise<ProductionServer> {
  const { startProductionServer } = await import("../quickstart/production-server.js");
  const server = await startProductionServer(context.workspace, serverPort);
  context.signal.addEventListener("abort", () => void server.stop(), { once: true });
  return server;
}

/** One request for each decision, then the end. */
async function check(context: CommandContext, server: ProductionServer, job: FinishedJob, port: number) {
  const { serverLine } = await import("../quickstart/production-server.js");
  const decisions = await probe(context, server);
  const code = await server.stop();
  if (code !== 0) throw new SluiceError("INTERNAL", `the server ended with exit code ${code}`);
  return commandResult({
    schema: "quickstart@1",
    result: quickstartDocument(context.workspace, job, decisions.map(answerOf)),
    lines: [...told(job, decisions), "", `All in all ${formatSeconds(sum(Object.values(job.stageMs)))}.`],
    next: [context.nextLine("quickstart"), serverLine(context.workspace, port)],
  });
}

/** @throws {SluiceError} GATE_NOT_MET  the bundle does not show each decision, or the server decides otherwise */
async function probe(context: CommandContext, server: ProductionServer): Promise<readonly ShownDecision[]> {
  const { probeCases, probeServer } = await import("../quickstart/probe.js");
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
  return commandResult({
    schema: "quickstart@1",
    result: quickstartDocument(context.workspace, job, decisions.map(answerOf)),
    lines: [],
  });
}

/** The same question for any HTTP client; its body is written to a file. */
async function writtenCurlLine(
  context: CommandContext,
  server: ProductionServer,
  [example]: readonly ShownDecision[],
): Promise<string> {
  const { probeBody } = await import("../quickstart/probe.js");
  const file = join(context.workspace.directory, "request.json");
  const { version, workflowIds } = await catalogOf(context);
  await writeFile(file, `${JSON.stringify(probeBody(example?.text ?? "", version, workflowIds), null, 2)}\n`);
  return curlLine(server.address, `@${context.here(file)}`);
}

async function catalogOf(context: CommandContext) {
  const { loadCatalog } = await import("../../src/catalog/load.js");
  const { bundleFiles } = await import("../../src/artifacts/bundle-layout.js");
  const { catalog } = await loadCatalog(join(context.workspace.bundle, bundleFiles.catalog));
  return { version: catalog.catalogVersion, workflowIds: catalog.workflows.map((w) => w.workflowId) };
}
