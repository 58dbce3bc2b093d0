// Import rules of the tree. The tables are in test/architecture/layers.json; the rules are built from them,
// and test/architecture/boundaries.test.ts holds them against the compiler references and a planted violation.
const { imports, owners, typesOnly } = require("./test/architecture/layers.json");

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
const anyOf = (names) => `(${names.map(escape).join("|")})`;
const core = Object.keys(imports).filter((folder) => folder.startsWith("src/"));
const folders = [...new Set(Object.keys(imports).map((layer) => layer.split("/")[0])), "scripts"];
const ours = `^${anyOf(folders)}/`;
const mayUseEverything = ["test", "bench"];
const packagePath = (names) => `(^|/)node_modules/${anyOf(names)}/`;
const builtIn = (names) => `^(node:)?(${names.join("|")})$`;

/** The files of a layer: `src` is the facade alone, every other layer a folder. */
const filesOf = (layer) => (layer === "src" ? "^src/index\\.ts$" : `^${escape(layer)}/`);

/** Folders with `core` written out. */
const foldersOf = (names) => names.flatMap((name) => (name === "core" ? core : [name]));

/** Single files that a layer may import besides: `cli/main.ts` must know whether an inference thread is left when it ends. */
const alsoFiles = { cli: ["^src/inference/left-threads\\.ts$"] };

const layerRule = (name, comment, from, pathNot, more = {}) => ({
  name,
  comment,
  severity: "error",
  from: { path: from },
  to: { path: ours, pathNot, ...more },
});

/** A layer with `typesOnly` may name the types of those too, which carry no code. */
const layerRules = Object.entries(imports).flatMap(([layer, allowed]) => {
  const name = `layer-${layer.replace("/", "-")}`;
  const comment = `${layer} imports only: ${allowed.join(", ") || "nothing"}.`;
  const pathNot = [...foldersOf([layer, ...allowed]).map(filesOf), ...(alsoFiles[layer] ?? [])];
  const types = typesOnly[layer];
  if (types === undefined) return [layerRule(name, comment, filesOf(layer), pathNot)];
  const withTypes = [...pathNot, ...foldersOf(types).map(filesOf)];
  return [
    layerRule(name, comment, filesOf(layer), pathNot, { dependencyTypesNot: ["type-only"] }),
    layerRule(`${name}-types`, `${layer} names types of: ${types.join(", ")}.`, filesOf(layer), withTypes),
  ];
});

const ownerRules = Object.entries(owners).map(([name, folders]) => ({
  name: `owner-${name.replace(/[@/]/g, "")}`,
  comment: `${name} belongs to ${folders.join(", ") || "the tests"}: a replacement touches one place.`,
  severity: "error",
  from: { path: ours, pathNot: `^${anyOf([...folders, ...mayUseEverything])}/` },
  to: { path: packagePath([name]) },
}));

const forbidden = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

module.exports = {
  forbidden: [
    ...layerRules,
    ...ownerRules,
    forbidden("no-cycle", "Two files that need each other are one file, or miss a third.", {}, { circular: true }),
    forbidden("resolvable", "An import that resolves to nothing.", {}, { couldNotResolve: true }),
    forbidden(
      "facade-from-outside-only",
      "src/index.ts, serve/index.ts, client/index.ts and stages/index.ts are for users of the package.",
      { path: ours, pathNot: `^${anyOf([...mayUseEverything, "cli"])}/` },
      { path: "^(src|serve|client|stages)/index\\.ts$" },
    ),
    forbidden(
      "calibrate-reads-scored-records",
      "Fitting must not touch request texts: from eval only metrics, statistics and the table of scores.",
      { path: "^calibrate/" },
      { path: "^eval/", pathNot: "^eval/(metrics/|stats/|scored-table\\.ts$)" },
    ),
    forbidden(
      "calibrate-uses-the-policy",
      "Fitting needs the decision, and nothing else of the router.",
      { path: "^calibrate/" },
      { path: "^src/router/", pathNot: "^src/router/policy/" },
    ),
    forbidden(
      "calibrate-reaches-no-dataset",
      "A reference to eval would open datasets too; this closes it, indirect imports included.",
      { path: "^calibrate/" },
      { path: "^datasets/", reachable: true },
    ),
    forbidden(
      "serve-cannot-sign",
      "Production holds no signing code, not even through another folder.",
      { path: "^serve/" },
      { path: "^release/signing/", reachable: true },
    ),
    forbidden(
      "serve-cannot-fit",
      "Production runs models and learns nothing.",
      { path: "^serve/" },
      { path: "^train/", reachable: true },
    ),
    forbidden(
      "serve-main-stays-small",
      "The production image leaves these packages out.",
      { path: "^serve/main\\.ts$" },
      { path: packagePath(["yargs", "arquero", "vega", "vega-lite", "@resvg/resvg-wasm", "better-sqlite3"]), reachable: true },
    ),
    forbidden(
      "cli-serves-in-few-commands",
      "These start a server or a page, or read and write bodies as a server does; no stage can reach serve.",
      { path: "^cli/", pathNot: "^cli/commands/(init-on-page|label|mcp|quickstart|route|schema|serve|ui)\\.ts$" },
      { path: "^serve/" },
    ),
    forbidden(
      "worker-threads-in-inference",
      "One pool, one protocol between threads.",
      { path: ours, pathNot: `^(${anyOf(["src/inference", ...mayUseEverything])}/|src/trust/thread\\.ts$)` },
      { path: builtIn(["worker_threads"]) },
    ),
    forbidden(
      "client-runs-anywhere",
      "The client runs in browsers: no built-in module and no package.",
      { path: "^client/" },
      { pathNot: "^client/" },
    ),
    forbidden(
      "pure-folders",
      "Types, numbers and decisions need no file, clock or network.",
      { path: "^(src/(base/numbers|documents|router/policy)|(eval|calibrate)/stats)/" },
      { dependencyTypes: ["core"] },
    ),
    forbidden(
      "tests-through-the-runner",
      "The runner knows only tests that test/support/registration.ts registers.",
      { path: "^test/.*\\.test\\.ts$" },
      { path: packagePath(["uvu"]) },
    ),
    forbidden(
      "network-in-serve",
      "Everything but the server works without a network; an ssh-agent is a socket of this machine.",
      {
        path: "^(src|datasets|eval|calibrate|reports|store|train|release|stages)/",
        pathNot: "^release/signing/agent-signer\\.ts$",
      },
      { path: builtIn(["http", "https", "http2", "net", "tls", "dgram", "dns"]) },
    ),
  ],
  options: {
    doNotFollow: { path: "(^|/)node_modules/" },
    exclude: { path: "^(dist|coverage)/|^test/support/runner-fixtures/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  },
};
