import { serveStreams } from "../../serve/mcp/find-tools.js";
import { developmentRouter } from "../../stages/route/development-router.js";
import { cacheOf, routerSources } from "../../stages/score/router-sources.js";
import type { WorkOf } from "../command.js";
import type { mcpSpec } from "../specs/serving.js";
import { trialLines } from "../trial-lines.js";
import { untilInterrupted } from "../until-interrupted.js";

/** Model runs that may wait at once. */
const queueLimit = 64;

export const mcp: WorkOf<typeof mcpSpec> = async (context, args) => {
  const { sources, calibrationId } = await routerSources(context, args.calibration);
  const router = await developmentRouter(sources, { workers: 1, queueLimit, ...cacheOf(context) });
  if (calibrationId === null) for (const line of trialLines) context.note(line);
  const tools = { router, requestId: "mcp", find: router.shortlist.bind(router) };
  try {
    // Standard output belongs to the protocol.
    await Promise.race([serveStreams(process.stdin, process.stdout, tools), untilInterrupted(context.signal)]);
  } finally {
    await router.close();
  }
  return { result: { calibration: calibrationId }, lines: [] };
};
