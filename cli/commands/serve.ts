import { counted } from "../../src/documents/number-text.js";
import { formatMilliseconds } from "../../src/documents/number-text.js";
import { requireDevelopmentHost, startDevelopmentServer } from "../../serve/start-development.js";
import { shortId } from "../../src/base/text.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { Router } from "../../src/documents/router.js";
import { SluiceError } from "../../src/base/error.js";
import type { TelemetryEvent } from "../../src/router/telemetry/sink.js";
import type { CommandContext } from "../context.js";
import { curlLine } from "../caller.js";
import { fields } from "../table.js";
import type { WorkOf } from "../command.js";
import type { serveSpec } from "../specs/serving.js";
import { requireFreePort } from "../../serve/listen.js";
import { laterCalibration, openRouter } from "../../stages/route.js";
import { projectFileName } from "../../src/documents/choices.js";
import { untilInterrupted } from "../until-interrupted.js";
import { workspaceSource } from "../workspace-source.js";

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
  const { bundle, calibration } = args;
  const { router, catalog, calibrationId } = await openRouter(context, {
    bundle,
    calibration,
    catalog: args.catalog,
    server: { threads: args.workers },
    onSources: ({ trial, isOtherCatalog }) => {
      trial.forEach(context.note);
      if (isOtherCatalog) context.note(otherCatalog);
    },
  });
  const isLatest = bundle === undefined && calibration === undefined;
  const watch = exchanges(context, isLatest ? laterCalibration(context, calibrationId) : async () => null);
  const pages = args.bundle === undefined ? workspaceSource(context, projectFileName, {}) : null;
  const server = await startDevelopmentServer(router, args, watch, pages);
  for (const line of startLines(server.address, router, catalog, pages !== null)) context.note(line);
  await untilInterrupted(context.signal);
  await server.end();
  const { catalog_version, calibration_version, model_version } = router.lineage;
  const { address } = server;
  const answers = watch.answers();
  return {
    result: { address, runtime_mode: "development", catalog_version, calibration_version, model_version, answers },
    lines: [`${counted(answers, "request")} answered at ${address}`],
  };
};

const otherCatalog = "warning  the thresholds were certified for a different catalog, so no claim holds for this one";

/** Prints one line per request: status, operation, time; and when a later calibration than the served one was made. */
function exchanges(context: CommandContext, later: ReturnType<typeof laterCalibration>) {
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
      void later().then(
        (id) => id !== null && context.note(`warning  calibration ${shortId(id)} is newer: restart to serve it`),
        () => undefined,
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
    ["described", `${address}/openapi.json`],
    ...(hasPages ? [["workspace", `${address}/`] as const] : []),
    ["send", curlLine(address, JSON.stringify({ text: exampleOf(catalog), debug: true }))],
    ["stop it", "Ctrl-C"],
  ]);
}

function exampleOf({ workflows }: Catalog): string {
  return workflows.find(({ status, examples }) => status === "active" && examples.length > 0)?.examples[0] ?? "help";
}
