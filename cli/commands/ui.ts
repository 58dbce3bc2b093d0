import { counted } from "../../src/documents/number-text.js";
import { requireDevelopmentHost } from "../../serve/start-development.js";
import { startPageServer } from "../../serve/pages/page-server.js";
import type { WorkOf } from "../command.js";
import { requireFreePort } from "../../serve/listen.js";
import type { uiSpec } from "../specs/serving.js";
import { fields } from "../table.js";
import { untilInterrupted } from "../until-interrupted.js";
import { workspaceSource } from "../workspace-source.js";

export const ui: WorkOf<typeof uiSpec> = async (context, { file, state, port, host }) => {
  requireDevelopmentHost(host);
  await requireFreePort(port, host);
  let pages = 0;
  const source = workspaceSource(context, file, { tryPath: null, stateFiles: state });
  const server = await startPageServer({ host, port }, async (path) => {
    pages += 1;
    return source(path);
  });
  const lines = fields([
    ["open", `${server.address}/`],
    ["shows", `${context.workspace.directory}, on this machine only, read-only`],
    ["stop it", "Ctrl-C"],
  ]);
  for (const line of lines) context.note(line);
  await untilInterrupted(context.signal);
  await server.close();
  const result = { address: server.address, pages };
  return { result, lines: [`${counted(pages, "page")} shown at ${server.address}`] };
};
