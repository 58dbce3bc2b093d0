import { formatMilliseconds } from "../../src/documents/number-text.js";
import { requireDevelopmentHost, startDevelopmentServer } from "../../serve/start-development.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { Router } from "../../src/documents/router.js";
import { SluiceError } from "../../src/base/error.js";
import type { TelemetryEvent } from "../../src/router/telemetry/sink.js";
import type { CommandContext } from "../context.js";
import { curlLine } from "../curl-line.js";
import type { Reference } from "../../store/records/reference.js";
import { stepOf } from "../../store/step-progress.js";
import { catalogOf, withHistory } from "../../store/records/with-history.js";
import { developmentRouter, type RouterSources, sourcesOfBundle } from "../../stages/route/development-router.js";
import { fields } from "../table.js";
import type { WorkOf } from "../command.js";
import type { serveSpec } from "../specs/serving.js";
import { requireFreePort } from "../../serve/free-port.js";
import { cacheOf, routerSources } from "../../stages/score/router-sources.js";
import { trialLines } from "../trial-lines.js";
import { loadCatalog } from "../../src/router/catalog/load.js";
import { processorMs } from "../../src/inference/processor-time.js";
import { usualThreads } from "../../src/inference/usual-threads.js";
import { projectFileName } from "../../store/project/step-names.js";
import { untilInterrupted } from "../until-interrupted.js";
import { workspaceSource } from "../workspace-source.js";

/** Model runs that may wait at once. */
const queueLimit = 512;

export const serve: WorkOf<typeof serveSpec> = async (context, args) => {
  requireDevelopmentHost(args.host);
  if (args.bundle !== undefined && args.calibration !== undefined) {
    throw new SluiceError(
      "USAGE",
      "found both a bundle and --calibration, but the bundle contains its own calibration",
      {
        hint: "Omit one of the two.",
      },
    );
  }
  await requireFreePort(args.port, args.host);
  const sources = await sourcesOf(context, args);
  const router = await loadRouter(context, sources, Math.max(1, args.workers ?? usualThreads()));
  const watch = exchanges(context);
  const pages =
    args.bundle === undefined ? workspaceSource(context, projectFileName, { tryPath: "/docs", stateFiles: [] }) : null;
  const server = await startDevelopmentServer(router, args, watch, pages);
  for (const line of startLines(server.address, router, sources.catalog, pages !== null)) context.note(line);
  await untilInterrupted(context.signal);
  await server.end();
  const { catalog_version, calibration_version, model_version } = router.lineage;
  const { address } = server;
  const answers = watch.answers();
  return {
    result: { address, runtime_mode: "development", catalog_version, calibration_version, model_version, answers },
    lines: [`${answers} responds at ${address}`],
  };
};

interface Wanted {
  readonly bundle: string | undefined;
  readonly calibration: string | undefined;
  readonly catalog: Reference | undefined;
}

/** The parts that decide; a named catalog replaces theirs. */
async function sourcesOf(context: CommandContext, wanted: Wanted): Promise<RouterSources> {
  const { bundle, calibration } = wanted;
  const sources = bundle === undefined ? await ownSources(context, calibration) : await sourcesOfBundle(bundle);
  if (wanted.catalog === undefined) return sources;
  const catalog = await catalogNamed(context, wanted.catalog);
  if (catalog.sha256 === sources.catalog.sha256) return sources;
  context.note("warning  the thresholds were certified for a different catalog, so no claim holds for this one");
  return { ...sources, catalog };
}

async function ownSources(context: CommandContext, calibration: string | undefined): Promise<RouterSources> {
  const { sources, calibrationId } = await routerSources(context, calibration);
  if (calibrationId === null) trialLines.forEach(context.note);
  return sources;
}

async function catalogNamed(context: CommandContext, named: Reference): Promise<Catalog> {
  if (named.kind === "id") {
    return withHistory(context, "read", async ({ history }) => (await catalogOf(history, named)).document);
  }
  return (await loadCatalog(named.path)).catalog;
}

async function loadRouter(context: CommandContext, sources: RouterSources, workers: number): Promise<Router> {
  const { signal, progress } = context;
  const router = await developmentRouter(sources, {
    workedMs: processorMs,
    workers,
    queueLimit,
    signal,
    ...cacheOf(context),
    onProgress: stepOf(progress, "index"),
  });
  progress.done();
  return router;
}

/** One line for each exchange: status, operation, time. */
function exchanges(context: CommandContext) {
  let answers = 0;
  return {
    answers: () => answers,
    emit(event: TelemetryEvent): void {
      if (event.event !== "sluice.http") return;
      answers += 1;
      const problem = event.error_code === null ? "" : `  ${event.error_code}`;
      context.note(
        `${event.status_code}  ${event.method} ${event.route}  ${formatMilliseconds(event.latency_ms)}${problem}`,
      );
    },
  };
}

function startLines(address: string, router: Router, catalog: Catalog, hasPages: boolean): readonly string[] {
  const {
    catalog_version: catalogVersion,
    calibration_version: calibrationVersion,
    model_version: modelVersion,
  } = router.lineage;
  return fields([
    ["serving", `${address}  catalog ${catalogVersion}, calibration ${calibrationVersion}, model ${modelVersion}`],
    ["mode", "development: signatures are not verified, and every caller on this machine may use every workflow"],
    ["try it", `${address}/docs  (description: ${address}/openapi.json)`],
    ...(hasPages ? [["workspace", `${address}/`] as const] : []),
    ["ask it", curlLine(address, JSON.stringify({ text: exampleOf(catalog), debug: true }))],
    ["stop it", "Ctrl-C"],
  ]);
}

/** What a user of the catalog would say. */
function exampleOf({ workflows }: Catalog): string {
  return workflows.find(({ status, examples }) => status === "active" && examples.length > 0)?.examples[0] ?? "help";
}
