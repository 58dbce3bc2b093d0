import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";
import { testWithTool } from "../support/external-tool.js";
import { codeBlocks, docPage } from "../support/doc-page.js";
import { withRedis } from "../support/redis-server.js";
import { keyFileIn } from "../support/shard-key.js";
import { fitSmallWorkspace, succeed } from "../cli/support/small-workspace.js";

/** The engines that run shards: their files, run as they are with the variables that the engine sets. */

interface Job {
  readonly kind: string;
  readonly spec: {
    readonly completionMode: string;
    readonly completions: number;
    readonly parallelism: number;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly restartPolicy: string;
        readonly volumes: readonly { readonly name: string }[];
        readonly containers: readonly {
          readonly image: string;
          readonly command: readonly [string, ...string[]];
          readonly args: readonly string[];
          readonly env: readonly { readonly name: string; readonly value: string }[];
          readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
        }[];
      };
    };
  };
}

const folder = join(packageRoot, "deploy", "evaluation");
const job = parse(readFileSync(join(folder, "kubernetes-job.yaml"), "utf8")) as Job;
const [container] = job.spec.template.spec.containers;
const environment = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };

/** Starts a program with `sluice` on its path. */
function started(cwd: string, words: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const [program = "", ...rest] = words;
  const path = `${join(cwd, "bin")}:${process.env["PATH"] ?? ""}`;
  return spawn(program, rest, { cwd, env: { ...env, PATH: path, USER: "tester", TMPDIR: cwd }, stdio: "ignore" });
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
}

const run = (cwd: string, words: readonly string[], env: Readonly<Record<string, string>>): Promise<number | null> =>
  ended(started(cwd, words, env));

async function inSharedFolder(body: (cwd: string, shared: string) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd);
    const shared = join(cwd, "shared");
    for (const made of [shared, join(cwd, "bin")]) await mkdir(made);
    await succeed(cwd, "history", "backup", join(shared, "history.db"));
    const program = join(cwd, "bin", "sluice");
    await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${join(packageRoot, "dist/cli/main.js")}" "$@"\n`);
    await chmod(program, 0o755);
    await body(cwd, shared);
  });
}

test("the Indexed Job has a shard for each index, mounts what it names, and uses the image that the container file makes", () => {
  assert.equal([job.kind, job.spec.completionMode], ["Job", "Indexed"]);
  assert.is(String(job.spec.completions), environment["SHARDS"]);
  assert.ok(job.spec.parallelism <= job.spec.completions);
  // Kubernetes counts failures of each index only for pods that are not restarted.
  assert.is(job.spec.template.spec.restartPolicy, "Never");
  assert.equal(
    container?.volumeMounts.map(({ name }) => name),
    job.spec.template.spec.volumes.map(({ name }) => name),
  );
  const mounted = container?.volumeMounts.map(({ mountPath }) => mountPath) ?? [];
  for (const name of ["SHARED", "WORK"]) assert.ok(mounted.includes(environment[name] ?? ""), name);
  assert.ok(mounted.includes(dirname(environment["SLUICE_QUEUE_KEY"] ?? "")));
  assert.is(container?.image, `images.example.com/sluice:${version}`);
  const built = readFileSync(join(folder, "Containerfile"), "utf8");
  assert.match(built, `COPY sluice-${version}.tgz `);
  assert.match(built, /^FROM \S+@\$\{NODE_DIGEST\}$/mu);
});

test("the pods of the job and the tasks of the Slurm array write shards that merge into the run of one process", () =>
  inSharedFolder(async (cwd, shared) => {
    const key = { SLUICE_QUEUE_KEY: keyFileIn(cwd) };
    const [shell, ...rest] = container?.command ?? [];
    for (const index of [0, 1]) {
      const work = join(cwd, `pod-${index}`);
      await mkdir(work);
      const env = {
        ...environment,
        ...key,
        SHARDS: "3",
        SHARED: shared,
        WORK: work,
        JOB_COMPLETION_INDEX: String(index),
      };
      assert.is(await run(cwd, [shell ?? "", ...rest, ...(container?.args ?? [])], env), 0, `pod ${index}`);
    }
    const slurm = { ...key, SHARED: shared, SLURM_ARRAY_TASK_ID: "3", SLURM_ARRAY_TASK_MAX: "3" };
    assert.is(await run(cwd, ["sh", join(folder, "slurm-array.sh")], slurm), 0);
    const files = (await readdir(join(shared, "shards"))).map((file) => join(shared, "shards", file));
    assert.is(files.length, 3);
    const { run: merged } = await succeed<{ run: string }>(cwd, "eval", "merge", ...files, "--queue-key", "queue.key");
    assert.match(merged, /^[0-9a-f]{64}$/);
  }));

test("the array of Slurm begins at 1, where shards do", async () => {
  const script = await readFile(join(folder, "slurm-array.sh"), "utf8");
  assert.match(script, /^#SBATCH --array=1-16%4$/mu);
});

const page = docPage("how-to/score-on-many-machines.md");
const queueBlock = codeBlocks(page, "").find((block) => block.startsWith("sluice eval run --queue")) ?? "";

test("the documented commands create a key, score shards with it and merge them", () =>
  inSharedFolder(async (cwd) => {
    const [block = ""] = codeBlocks(page, "");
    assert.match(block, "--shard 3/16");
    assert.is(await run(cwd, ["sh", "-ec", block.replace("3/16", "1/1")], {}), 0);
    assert.is((await stat(join(cwd, "queue.key"))).mode & 0o777, 0o600);
  }));

testWithTool(test, "redis-server", "the documented commands score over a queue", () =>
  inSharedFolder(async (cwd, shared) =>
    withRedis(cwd, async (redis) => {
      keyFileIn(cwd);
      const lines = queueBlock
        .replaceAll("redis://queue:6379", redis.url)
        .replaceAll("/shared", shared)
        .trim()
        .split("\n");
      const [coordinator = "", worker = ""] = lines;
      assert.is(lines.length, 2);
      const child = started(cwd, ["sh", "-c", `exec ${worker} --workspace worker`], {});
      try {
        assert.is(await run(cwd, ["sh", "-c", coordinator], {}), 0);
      } finally {
        child.kill("SIGINT");
        await ended(child);
      }
    }),
  ),
);
