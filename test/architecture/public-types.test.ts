import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { assert, packageRoot, testWith } from "../support/test.js";
import { publishedTypes } from "../support/installed-package.js";

const test = testWith<{ folder: string }>();

const options: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  types: ["node"],
};

let programs = 0;
/** Declarations that one program has read, for the next ones. */
const read = new Map<string, ts.SourceFile | undefined>();

function hostOf(settings: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(settings);
  const getSourceFile: ts.CompilerHost["getSourceFile"] = (name, ...rest) => {
    if (!read.has(name)) read.set(name, host.getSourceFile(name, ...rest));
    return read.get(name);
  };
  return { ...host, getSourceFile };
}

/** Messages of the compiler for a program in the folder of the declarations, and how many types it made. */
function compiled(folder: string, text: string, more: ts.CompilerOptions = { skipLibCheck: true }) {
  programs += 1;
  const file = join(folder, `program-${programs}.ts`);
  writeFileSync(file, text);
  const settings = { ...options, ...more };
  const program = ts.createProgram([file], settings, hostOf(settings));
  const diagnostics = ts.getPreEmitDiagnostics(program);
  const messages = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
  return { messages, types: program.getTypeCount() };
}

test.before(async (context) => {
  // Inside the package, so that its dependencies are found.
  context.folder = mkdtempSync(join(packageRoot, "dist", "declarations-"));
  cpSync(await publishedTypes(), context.folder, { recursive: true });
});

test.after(({ folder }) => rmSync(folder, { recursive: true, force: true }));

test("no published declaration names the schema library or the binding of SQLite", ({ folder }) => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"));
  assert.ok(files.length > 10);
  const naming = files.filter((name) =>
    /typebox|Static<|from "better-sqlite3"/.test(readFileSync(join(folder, name), "utf8")),
  );
  assert.equal(naming, []);
});

test("the published types are those of the sources", ({ folder }) => {
  const names = {
    src: ["Calibration", "Catalog", "Decision", "Health", "RouteRequest", "RouteResponse", "RoutingPolicy", "Workflow"],
    stages: ["CalibrateRunOptions", "ExportedRelease", "Reference", "SignedManifest", "WorkbenchContext"],
    serve: [
      "ApiSettingsOptions",
      "ExpectedGeneration",
      "LoggingSinkOptions",
      "ProductionRouterOptions",
      "TelemetryEvent",
    ],
  };
  const lines = Object.entries(names).flatMap(([entry, types]) => [
    `import type * as plain_${entry} from "./${entry}/index.js";`,
    `import type * as source_${entry} from "../${entry}/index.js";`,
    ...types.map((name) => `export const ${name}: Equal<plain_${entry}.${name}, source_${entry}.${name}> = true;`),
  ]);
  const equal =
    "type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;";
  const { messages } = compiled(folder, [equal, ...lines].join("\n"));
  assert.equal(messages, []);
});

test("sluice/serve exports the types that an application around it names", ({ folder }) => {
  const names = [
    "ApiSettingsOptions",
    "AppOptions",
    "Authorizer",
    "ExpectedGeneration",
    "LoggingSinkOptions",
    "ProductionRouterOptions",
    "RouteRequest",
    "RouteResponse",
    "RuntimeSnapshot",
    "TelemetryEvent",
    "TelemetrySink",
  ];
  const program = `import type { ${names.join(", ")} } from "./serve/index.js";
    import { type AuthorizationDenied, type createApp, LoggingTelemetrySink } from "./serve/index.js";
    export const authorizer: Authorizer = (request) => (request.scope.authenticated_principal === "a" ? ["w.one"] : []);
    export const sink: TelemetrySink = new LoggingTelemetrySink();
    export type All = [${names.join(", ")}, AuthorizationDenied, typeof createApp];`;
  assert.equal(compiled(folder, program).messages, []);
});

test("the declarations and all that they import compile without skipLibCheck", ({ folder }) => {
  const entries = ["src", "serve", "stages"].map((entry) => `export type * as ${entry} from "./${entry}/index.js";`);
  assert.equal(compiled(folder, entries.join("\n"), {}).messages, []);
});

test("importing costs few types beyond those of Node and fastify", ({ folder }) => {
  const cost = (module: string): number => {
    const { messages, types } = compiled(
      folder,
      `import type * as all from "${module}"; export type Names = keyof typeof all;`,
    );
    assert.equal(messages, []);
    return types;
  };
  const node = cost("node:http");
  assert.ok(cost("./src/index.js") - node < 5000);
  assert.ok(cost("./serve/index.js") - cost("fastify") < 5000);
  assert.ok(cost("./stages/index.js") - node < 5000);
});
