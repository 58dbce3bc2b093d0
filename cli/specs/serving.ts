import { flag, optional, preset, required, type ValueKind } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { projectFileName } from "../../src/documents/choices.js";
import { SluiceError } from "../../src/base/error.js";
import { count, httpAddress, id, list, path, port, reference, text } from "../../stages/options/kinds.js";

/** A JSON object. Messages never repeat its value. */
const jsonObject: ValueKind<object> = {
  placeholder: "JSON",
  type: "object",
  parse: (raw, name) => {
    const value = parsedJson(raw);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
    throw new SluiceError("USAGE", `${name}: expected a JSON object`, { hint: `Use for example ${name} '{"a": 1}'.` });
  },
};

function parsedJson(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return null;
  }
}

export const routeSpec = {
  name: ["route"],
  describe: "Route one request as the server would, and explain the decision; saves nothing",
  positionals: {},
  options: {
    text: required(text, "text of the request; - reads it from stdin"),
    calibration: optional(id, "calibration, with its catalog and models; by default the latest"),
    context: optional(jsonObject, "known inputs by name, as a JSON object"),
    allowed: optional(list, "workflows that the caller may use; by default all"),
    previous: optional(text, "workflow that served the request before this one; none if no workflow did"),
    server: optional(httpAddress, "address of a running server that routes the request instead"),
    explain: flag("show every step from text to decision, and what would have changed it"),
  },
  examples: [
    ["sluice route --text - --explain", "reads the text from stdin; shows every step"],
    [
      "sluice route --text reset --allowed it_access.reset_password,it_access.reset_mfa",
      "for a caller with access to two workflows",
    ],
  ],
} satisfies CommandSpec;

export const mcpSpec = {
  name: ["mcp"],
  describe: "Serve the Model Context Protocol on stdin and stdout, for development: find_tools returns the shortlist",
  positionals: {},
  options: { calibration: optional(id, "calibration, with its catalog and models; by default the latest") },
  examples: [
    ["sluice mcp", "as the command of an MCP client on this machine"],
    ["sluice mcp --project my-router", "another project"],
  ],
} satisfies CommandSpec;

const host: ValueKind<string> = { ...text, placeholder: "HOST" };

export const serveSpec = {
  name: ["serve"],
  describe:
    "Serve on this machine for development, with a page to try it; verifies no bundle and authenticates no caller",
  positionals: {
    bundle: optional(path, "folder of an exported bundle; by default the records of the workspace"),
  },
  options: {
    calibration: optional(id, "calibration, with its catalog and models; by default the latest"),
    catalog: optional(reference, "catalog to try with these models and thresholds"),
    port: preset(port, "8080", "port to listen on; 0 selects a free one"),
    host: preset(host, "127.0.0.1", "loopback address to listen on"),
    workers: optional(count, "scoring threads; by default 2, or 1 on a machine with a single core"),
  },
  examples: [
    ["sluice serve", "the latest calibration, at http://127.0.0.1:8080"],
    ["sluice serve /srv/bundle --catalog catalog.yaml --port 0", "a bundle with an edited catalog, on a free port"],
  ],
} satisfies CommandSpec;

export const uiSpec = {
  name: ["ui"],
  describe:
    "Show the workspace in a browser on this machine, and try a request: project, runs, calibrations, releases, reports",
  positionals: {},
  options: {
    file: preset(path, projectFileName, "project file"),
    port: preset(port, "8090", "port to listen on; 0 selects a free one"),
    host: preset(host, "127.0.0.1", "loopback address to listen on"),
  },
  examples: [
    ["sluice ui", "the workspace in this folder, at http://127.0.0.1:8090/"],
    ["sluice ui --project my-router --port 0", "another project, on a free port"],
  ],
} satisfies CommandSpec;
