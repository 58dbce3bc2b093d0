import { formatSeconds } from "../../src/domain/number-text.js";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FinishedJob } from "../quickstart/run-job.js";
import type { ProbedDecision } from "../quickstart/probe.js";
import type { ProductionServer } from "../quickstart/production-server.js";
import { SluiceError } from "../../src/errors/error.js";
import { defineCommand } from "../command.js";
import type { CommandContext } from "../context.js";
import { curlLine } from "../curl-line.js";
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
    const started = context.clock();
    const job = await withHistory(context, "write", (stage) => runJob(stage, context, { compare: args.compare }));
    const server = await startServer(context, serverPort);
    try {
      const serveMs = context.clock() - started - sum(Object.values(job.stageMs));
      const times = { ...job.stageMs, start: serveMs };
      return args.check
        ? await check(context, server, { ...job, stageMs: times }, args.port)
        : await serve(context, server, job);
    } finally {
      await server.stop();
    }
  },
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

async function startServer(context: CommandContext, serverPort: number): Promise<ProductionServer> {
  const { startProductionServer } = await import("../quickstart/production-server.js");
  const server = await startProductionServer(context.workspace, serverPort, (text) => context.note(text.trimEnd()));
  context.signal.addEventListener("abort", () => void server.stop(), { once: true });
  return server;
}

/** One request for each decision, then the end. */
async function check(context: CommandContext, server: ProductionServer, job: FinishedJob, port: number) {
  const { probeCases, probeServer } = await import("../quickstart/probe.js");
  const { serverLine } = await import("../quickstart/production-server.js");
  const cases = await probeCases(context.workspace);
  if (cases.length < 3) {
    throw new SluiceError("GATE_NOT_MET", `the bundle shows ${cases.length} of the 3 decisions`, {
      hint: context.nextLine("calibrate", "show"),
    });
  }
  const decisions = await probeServer(server.address, cases, await catalogOf(context));
  const code = await server.stop();
  if (code !== 0) throw new SluiceError("INTERNAL", `the server ended with exit code ${code}`);
  return commandResult({
    schema: "quickstart@1",
    result: quickstartDocument(context.workspace, job, decisions),
    lines: checkLines(job, decisions),
    next: [context.nextLine("quickstart"), serverLine(context.workspace, port)],
  });
}

/** Serves until the server is stopped. */
async function serve(context: CommandContext, server: ProductionServer, job: FinishedJob) {
  const { probeCases, requestBody } = await import("../quickstart/probe.js");
  const [example] = await probeCases(context.workspace);
  const file = join(context.workspace.directory, "request.json");
  const { version, workflowIds } = await catalogOf(context);
  await writeFile(file, `${JSON.stringify(requestBody(example?.text ?? "", version, workflowIds), null, 2)}\n`);
  context.note("");
  context.note("Ask it:   " + curlLine(server.address, `@${file}`));
  const { serverLine } = await import("../quickstart/production-server.js");
  context.note(`Again:    ${serverLine(context.workspace, Number(new URL(server.address).port))}`);
  context.note("Stop it:  Ctrl-C");
  const code = await server.ended();
  if (code !== 0) throw new SluiceError("INTERNAL", `the server ended with exit code ${code}`);
  return commandResult({
    schema: "quickstart@1",
    result: quickstartDocument(context.workspace, job, []),
    lines: [],
  });
}

async function catalogOf(context: CommandContext) {
  const { loadCatalog } = await import("../../src/catalog/load.js");
  const { bundleFiles } = await import("../../src/artifacts/bundle-layout.js");
  const { catalog } = await loadCatalog(join(context.workspace.bundle, bundleFiles.catalog));
  return { version: catalog.catalogVersion, workflowIds: catalog.workflows.map((w) => w.workflowId) };
}

function checkLines(job: FinishedJob, decisions: readonly ProbedDecision[]): readonly string[] {
  const milliseconds = sum(Object.values(job.stageMs));
  return fields([
    ["bundle", job.bundleId],
    ...decisions.map(({ decision, workflow_id, reason_code }): readonly [string, string] => [
      decision,
      `${workflow_id ?? "no workflow"}  ${reason_code}`,
    ]),
    ["time", formatSeconds(milliseconds)],
  ]);
}
