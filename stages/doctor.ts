import { readFile, stat, readdir, access, constants } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { satisfies } from "semver";
import { type PackageFacts, packageFacts, packageFolder } from "../src/base/package-facts.js";
import type { Workspace } from "../store/workspace.js";
import { unbounded } from "../src/documents/run-scope.js";
import { floatMatrix, onnxModel, plainGraph } from "../src/inference/onnx-graph.js";
import { InferencePool } from "../src/inference/pool.js";
import { sqlite } from "../store/history/sqlite.js";
import { parseTrustPolicy, requireCurrentTrust } from "../src/trust/trust-policy.js";
import { openHistory } from "../store/history/open.js";
import { treeSize } from "../store/history/tree.js";
import { readDirectory } from "../src/trust/directory-hash.js";
import { parseModel } from "../src/router/verification/parse-model.js";
import { readRevocations } from "../release/read-signed.js";
import { readInput } from "../src/base/files.js";
import { verifyStart } from "../release/verify-start.js";
import { publicKeyFromFile } from "../src/trust/public-key.js";
import { readKeyFile } from "../release/signing/key-file.js";
import { command, say, type Text, textOf, toSluiceError } from "../src/base/error.js";

const checkKeys: WorkspaceCheck = async (workspace) => {
  const names = (await readdir(workspace.keys).catch(() => [])).filter((name) => name.endsWith(".pem")).sort();
  return Promise.all(
    names.map((name) => {
      const file = join(workspace.keys, name);
      return checkOpens("key", say`Create another key: ${command`sluice key create NAME`}`, () =>
        name.endsWith(".pub.pem") ? publicKey(file) : privateKey(file),
      );
    }),
  );
};

async function publicKey(file: string): Promise<string> {
  return `${file}: public key ${publicKeyFromFile(await readFile(file, "utf8"), file).keyId}`;
}

async function privateKey(file: string): Promise<string> {
  const { encrypted } = await readKeyFile(file);
  return `${file}: private key, ${encrypted ? "encrypted" : "NOT encrypted"}`;
}

/** Runs every startup check on the exported bundle of the workspace, for each environment in its trust policy. */
const checkBundle: WorkspaceCheck = async (workspace, nowMs) => {
  const { bundle: directory, trust } = workspace;
  if (!(await isThere(directory)) || !(await isThere(trust))) return [];
  const check = await checkOpens("bundle", "", async () => {
    const trustPolicyBytes = await readInput(trust);
    const revocationBytes = await readRevocations({ workspace }, {});
    const found: string[] = [];
    for (const { environment } of parseTrustPolicy(trustPolicyBytes).policy.roles.approver) {
      const question = { directory, files: null, trustPolicyBytes, revocationBytes, environment, now: new Date(nowMs) };
      const { bundleId, end } = await verifyStart(question);
      const until = new Date(end.at).toISOString().slice(0, 10);
      found.push(`${bundleId.slice(0, 12)}, starts; approved for ${environment} until ${until}`);
    }
    return found.join("; ");
  });
  return [check.ok ? check : { ...check, repair: textOf(say`For details: ${command`sluice bundle verify`}`) }];
};

const checkModels: WorkspaceCheck = async (workspace) => {
  const folders = ["retriever", "verifier"].map((role) => join(workspace.models, role));
  const there = await Promise.all(folders.map(isThere));
  return Promise.all(
    folders
      .filter((_, index) => there[index])
      .map((folder) =>
        checkOpens("model", say`Fit it again: ${command`sluice model fit`}`, async () => {
          const { role, version } = parseModel((await readDirectory(folder)).files);
          return `${folder}: ${role} ${version}`;
        }),
      ),
  );
};

/** Opens the history and counts its entries. `history verify` checks every byte. */
const checkHistory: WorkspaceCheck = async (workspace) => {
  if (!(await isThere(workspace.history))) return [];
  const check = await checkOpens(
    "history",
    say`Restore it from a backup: ${command`sluice history restore FILE`}`,
    async () => {
      const history = openHistory(workspace.history, { readOnly: true });
      try {
        return `${workspace.history}: opens, ${treeSize(history)} entries`;
      } finally {
        history.close();
      }
    },
  );
  return [check];
};

const checkTrust: WorkspaceCheck = async (workspace, nowMs) => {
  if (!(await isThere(workspace.trust))) return [];
  const check = await checkOpens("trust", say`Show it with: ${command`sluice trust show`}`, async () => {
    requireCurrentTrust(parseTrustPolicy(await readFile(workspace.trust)), new Date(nowMs));
    return `${workspace.trust}: valid today`;
  });
  return [check];
};

/** Checks of optional items of a workspace, in display order. */
const workspaceChecks: readonly WorkspaceCheck[] = [checkHistory, checkModels, checkKeys, checkTrust, checkBundle];

interface NativePackage {
  readonly name: string;
  /** npm command that repairs a package that is missing or does not load. */
  readonly install: string;
  readonly rebuild: string;
  /** Loads the native library and uses it once. */
  readonly use: () => Promise<unknown>;
}

const nativePackages: readonly NativePackage[] = [
  {
    name: "better-sqlite3",
    install: "npm install better-sqlite3",
    rebuild: "npm rebuild better-sqlite3",
    use: async () => sqlite(),
  },
  {
    name: "onnxruntime-node",
    install: "npm install onnxruntime-node --onnxruntime-node-install=skip",
    rebuild: "npm rebuild onnxruntime-node --onnxruntime-node-install=skip",
    use: runSmallestModel,
  },
];

/** Runs every check in a fixed order. Writes nothing. @param nowMs  milliseconds since 1970-01-01 UTC */
export async function runChecks(host: Host, workspace: Workspace, nowMs: number): Promise<readonly Check[]> {
  const facts = packageFacts();
  const packages = nativePackages.map((used) => checkPackage(used, facts));
  const found: Check[] = [checkNode(host, facts), ...(await Promise.all(packages)), await checkWorkspace(workspace)];
  for (const check of workspaceChecks) found.push(...(await check(workspace, nowMs)));
  return found;
}

function checkNode(host: Host, facts: PackageFacts): Check {
  const wanted = facts.engines.node;
  const ok = satisfies(host.node, wanted);
  return {
    name: "node",
    ok,
    found: `${host.node} (native interface ${host.abi}, ${host.platform} ${host.arch}), needs ${wanted}`,
    repair: ok ? null : `Install Node ${wanted}.`,
  };
}

async function checkPackage({ name, install, rebuild, use }: NativePackage, facts: PackageFacts): Promise<Check> {
  const wanted = facts.dependencies[name] ?? facts.optionalDependencies[name] ?? "none";
  const installed = await installedVersion(name, packageFolder());
  if (installed === null && name in facts.optionalDependencies) {
    const found = `not installed: sluice-serve needs none, a workspace does: ${install.replace(name, `${name}@${wanted}`)}`;
    return { name, ok: true, found, repair: null };
  }
  if (installed !== wanted) {
    const repair = install.replace(name, `${name}@${wanted}`);
    return { name, ok: false, found: `${installed ?? "not installed"}, needs ${wanted}`, repair };
  }
  return use().then(
    () => ({ name, ok: true, found: `${installed}, loads and works`, repair: null }),
    (error: unknown) => {
      const why = error instanceof Error ? error.message.split("\n")[0] : "unknown cause";
      return { name, ok: false, found: `${installed} does not load: ${why}`, repair: rebuild };
    },
  );
}

/** Runs the model y = x on one number in a worker thread, as in production. */
async function runSmallestModel(): Promise<void> {
  const model = onnxModel({
    name: "identity",
    inputs: [floatMatrix("x", 1)],
    outputs: [floatMatrix("y", 1)],
    nodes: [{ operator: "Identity", inputs: ["x"], outputs: ["y"] }],
    constants: [],
  });
  const pool = new InferencePool({ workers: 1, queueLimit: 1 });
  try {
    const loaded = await pool.load(plainGraph(model));
    await loaded.run({ kind: "matrix", matrix: { rows: 1, columns: 1, values: Float32Array.of(1) } }, unbounded);
  } finally {
    await pool.close();
  }
}

/** The version of an installed package, looked up like Node does in node_modules of this folder and its parents. */
async function installedVersion(name: string, folder: string): Promise<string | null> {
  const file = join(folder, "node_modules", name, "package.json");
  const bytes = await readFile(file, "utf8").catch(() => null);
  if (bytes !== null) return (JSON.parse(bytes) as { readonly version: string }).version;
  const parent = dirname(folder);
  return parent === folder ? null : installedVersion(name, parent);
}

async function checkWorkspace(workspace: Workspace): Promise<Check> {
  const existing = await nearestFolder(resolve(workspace.directory));
  const writable = await isWritable(existing);
  const isNew = existing !== resolve(workspace.directory);
  return {
    name: "workspace",
    ok: writable,
    found: `${workspace.directory}${isNew ? " (will be created)" : ""}${writable ? "" : ": not writable"}`,
    repair: writable ? null : "Choose a writable folder with --workspace.",
  };
}

async function nearestFolder(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  return isFolder || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** Checks one kind of item of a workspace; returns an empty list if there is none. Writes nothing. */
type WorkspaceCheck = (workspace: Workspace, nowMs: number) => Promise<readonly Check[]>;

/** Whether a file or folder exists. */
const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Whether this process may write to a folder. */
const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );

/** One finding about the machine or the workspace. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** The command or step that repairs it; null if nothing is wrong. */
  readonly repair: string | null;
}

/**
 * Checks one item of the workspace.
 * @param repair  used if the error has no hint
 * @param open  returns a description of the item
 */
async function checkOpens(name: string, repair: Text, open: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, found: await open(), repair: null };
  } catch (thrown) {
    const { code, message, advice = repair } = toSluiceError(thrown);
    return { name, ok: false, found: `${code}: ${message}`, repair: textOf(advice) };
  }
}

/** Versions of the process that runs the command. */
export interface Host {
  /** Version of Node without a leading "v". */
  readonly node: string;
  /** Version of the native module interface, e.g. "115". */
  readonly abi: string;
  readonly platform: string;
  readonly arch: string;
}
