import { serveStreams } from "../../serve/mcp/find-tools.js";
import { openRouter } from "../../stages/route.js";
import type { WorkOf } from "../command.js";
import type { mcpSpec } from "../specs/serving.js";
import { untilInterrupted } from "../until-interrupted.js";

export const mcp: WorkOf<typeof mcpSpec> = async (context, { calibration }) => {
  const { router, calibrationId, trial } = await openRouter(context, { calibration });
  for (const line of trial) context.note(line);
  const tools = { router, requestId: "mcp", find: router.shortlist.bind(router) };
  try {
    // Standard output is reserved for the protocol.
    await Promise.race([serveStreams(process.stdin, process.stdout, tools), untilInterrupted(context.signal)]);
  } finally {
    await router.close();
  }
  return { result: { calibration: calibrationId }, lines: [] };
};
