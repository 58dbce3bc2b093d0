import { type Text, textOf } from "../../../../src/base/error.js";
import { appendFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { seededRandom } from "../../../../src/base/numbers/seeded-random.js";
import { openWorkbench } from "../../../../stages/open-workbench.js";
import { openQueueAddress, type QueueSettings } from "../../../../store/project/queue-settings.js";
import {
  connect,
  connectionOf,
  type Job,
  queueName,
  queuePackages,
  type Redis,
} from "../../../../stages/score/queue/redis.js";
import { evaluateShard } from "../../../../stages/score.js";
import { resultKey } from "../../../../stages/score/queue/run-inputs.js";
import { createProject } from "../../../../stages/init.js";
import { runProject } from "../../../../stages/project.js";
import { scoreRunOverQueue } from "../../../../stages/score/queue/score-over-queue.js";
import { type WorkedShard, workOnQueue } from "../../../../stages/score/queue/work-on-queue.js";
import { listEntries } from "../../../../store/history/read.js";
import { withHistory } from "../../../../store/records/session.js";
import { assert, inTemporaryFolder, packageRoot, rejects, test } from "../../../support/test.js";
import { sluice } from "../../../cli/support/sluice.js";
import { fitSmallWorkspace, scoreSmallWorkspace } from "../../../cli/support/small-workspace.js";
import { testWithTool } from "../../../support/external-tool.js";
import { servingFolder, withHttpServer } from "../../../support/object-stores.js";
import { chaosRound } from "../../../support/queue-chaos.js";
import { spawnSync } from "node:child_process";
import { forgedShard, keyFileIn } from "../../../support/shard-key.js";
import { type TestRedis, withRedis } from "../../../support/redis-server.js";

const tiny = { patterns: true, size: "tiny" } as const;

/** A workspace that is ready for `eval run`, in a new folder. */
async function fittedIn(folder: string): Promise<string> {
  await mkdir(folder);
  await fitSmallWorkspace(folder, tiny);
  return join(folder, "sluice-workspace");
}

async function madeIn(folder: string, name: string): Promise<string> {
  await mkdir(join(folder, name));
  return join(folder, name);
}

async function runOverQueue(workspace: string, settings: QueueSettings, shards: number): Promise<string> {
  const workbench = await openWorkbench({ folder: workspace });
  const options = { settings, shards, maxErrorShare: 0, onNote: () => undefined };
  return withHistory(workbench, "write", async (session) => (await scoreRunOverQueue(session, options)).run);
}

/** Workers of this process, until the body ends. @returns what they did, and the result of the body */
async function withWorkers<T>(
  folders: readonly string[],
  settings: QueueSettings,
  body: () => Promise<T>,
): Promise<{ readonly result: T; readonly worked: readonly WorkedShard[] }> {
  const ended = new AbortController();
  const worked: WorkedShard[] = [];
  const workers = folders.map(async (folder) => {
    const workbench = await openWorkbench({ folder, signal: ended.signal });
    return workOnQueue(workbench, {
      settings,
      concurrency: 1,
      workers: 1,
      onShard: (shard) => void worked.push(shard),
    });
  });
  try {
    return { result: await body(), worked };
  } finally {
    ended.abort();
    await Promise.all(workers);
  }
}

async function withClient<T>(redis: TestRedis, body: (client: Redis) => Promise<T>): Promise<T> {
  const client = new (await queuePackages()).Redis(redis.port, "127.0.0.1");
  try {
    return await body(client);
  } finally {
    client.disconnect();
  }
}

/** Keys of jobs, results and inputs. */
const leftKeys = (redis: TestRedis): Promise<readonly string[]> =>
  withClient(redis, async (client) =>
    (await client.keys("*")).filter((key) => !/:eval:(?:events|id|meta|stalled-check|stalled|marker)$/.test(key)),
  );

testWithTool(
  test,
  "redis-server",
  "two and four workers, with inputs behind HTTP and in a folder, give the run of one process",
  () =>
    inTemporaryFolder((folder) =>
      withRedis(folder, async (redis) => {
        const single = await scoreSmallWorkspace(await madeIn(folder, "single"), tiny);
        const score = async (workers: number, inputs: string): Promise<void> => {
          const settings = { url: redis.url, inputs, key: keyFileIn(folder) };
          const folders = Array.from({ length: workers }, (_, i) => join(folder, `worker-${workers}-${i}`));
          const workspace = await fittedIn(join(folder, `of-${workers}`));
          const run = () => runOverQueue(workspace, settings, 13);
          const { result, worked } = await withWorkers(folders, settings, run);
          assert.is(result, single, `${workers} workers`);
          assert.equal(
            worked.map(({ shard }) => shard).sort((a, b) => a - b),
            Array.from({ length: 13 }, (_, i) => i + 1),
          );
          assert.equal(await leftKeys(redis), []);
          assert.equal(await readdir(join(workspace, "unfinished")), []);
        };
        await withHttpServer(servingFolder(join(folder, "store")), (url) => score(2, `${url}/inputs`));
        await score(4, join(folder, "inputs"));
      }),
    ),
);

testWithTool(
  test,
  "redis-server",
  "a worker without the inputs fails a shard three times and says why; sent inputs are enough",
  () =>
    inTemporaryFolder((folder) =>
      withRedis(folder, async (redis) => {
        const workspace = await fittedIn(join(folder, "run"));
        const settings = { url: redis.url, key: keyFileIn(folder) };
        const { result: error, worked } = await withWorkers([join(folder, "worker")], settings, () =>
          rejects(runOverQueue(workspace, settings, 2), "SHARDS_FAILED"),
        );
        assert.match(
          error.message,
          /^2 of 2 shards failed 3 times; shard 1: FILE_MISSING: input \w{12} of the run cannot be/,
        );
        assert.equal(
          worked.map(({ failure }) => failure?.split(":")[0]),
          Array.from({ length: 6 }, () => "FILE_MISSING"),
        );
        assert.equal(await leftKeys(redis), []);
        const sent = { ...settings, ship_texts: true };
        const { result } = await withWorkers([join(folder, "worker")], settings, () =>
          runOverQueue(workspace, sent, 2),
        );
        assert.match(result, /^[0-9a-f]{64}$/);
        assert.equal(await leftKeys(redis), []);
      }),
    ),
);

testWithTool(test, "redis-server", "jobs carry digests and no text; Ctrl-C leaves no job that nobody wants", () =>
  inTemporaryFolder((folder) =>
    withRedis(folder, async (redis) => {
      const workspace = await fittedIn(join(folder, "run"));
      const stop = new AbortController();
      const workbench = await openWorkbench({ folder: workspace, signal: stop.signal });
      const seen: string[] = [];
      const waiting = new Promise<void>((resolve) => {
        const onNote = (line: Text): void => {
          seen.push(textOf(line));
          resolve();
        };
        const options = { settings: { url: redis.url }, shards: 90, maxErrorShare: 0, onNote };
        const run = withHistory(workbench, "write", (session) => scoreRunOverQueue(session, options));
        stop.signal.addEventListener("abort", () => void seen.push("stopped"));
        void rejects(run, "INTERRUPTED").then(() => seen.push("interrupted"));
      });
      await waiting;
      assert.match(seen[0] ?? "", "start workers: sluice eval worker --queue redis://127.0.0.1:");
      const values = await withClient(redis, async (client) => {
        const jobs = (await client.keys("sluice:eval:*-of-90")).map((key) => client.hgetall(key));
        return JSON.stringify(await Promise.all(jobs));
      });
      assert.is((JSON.parse(values) as readonly unknown[]).length, 64, "a bounded number of shards");
      const requests = (await readFile(join(folder, "run", "requests.jsonl"), "utf8")).trim().split("\n");
      assert.ok(requests.length > 90);
      for (const line of requests) {
        const { text } = JSON.parse(line) as { readonly text: string };
        assert.not.ok(values.includes(JSON.stringify(text).slice(1, -1)), "a job has a request text");
      }
      stop.abort();
      while (seen.at(-1) !== "interrupted") await new Promise((resolve) => setImmediate(resolve));
      assert.equal(await leftKeys(redis), []);
    }),
  ),
);

/** The header, and every fourth row: enough to be scored. */
const everyFourth = (lines: readonly string[]): readonly string[] => lines.filter((_, i) => i % 4 === 0);

testWithTool(
  test,
  "redis-server",
  "a project with a queue in sluice.yaml has its workers score, with paths relative to the file",
  () =>
    inTemporaryFolder((folder) =>
      withRedis(folder, async (redis) => {
        const source = join(folder, "requests.csv");
        const shipped = await readFile(join(packageRoot, "datasets", "example", "support-requests.csv"), "utf8");
        await writeFile(source, everyFourth(shipped.split("\n")).join("\n"));
        const project = join(folder, "project");
        const workbench = await openWorkbench({ folder: join(folder, "workspace"), actor: "ann" });
        await createProject(workbench, { into: project, source });
        const file = join(project, "sluice.yaml");
        await appendFile(file, `queue:\n  url: ${redis.url}\n  inputs: inputs\n  key: ${keyFileIn(folder)}\n`);
        const settings = { url: redis.url, inputs: join(project, "inputs"), key: keyFileIn(folder) };
        const { result, worked } = await withWorkers([join(folder, "worker")], settings, () =>
          runProject(workbench, { file, until: "score" }),
        );
        assert.match(result.made.run ?? "", /^[0-9a-f]{64}$/);
        assert.ok(worked.length >= 1);
      }),
    ),
);

const password = "correct horse battery";

testWithTool(test, "redis-server", "a user of an ACL is named in a file; its password is in no message", () =>
  inTemporaryFolder((folder) =>
    withRedis(
      folder,
      async (redis) => {
        const workspace = await fittedIn(join(folder, "run"));
        await writeFile(join(folder, "right"), `router:${password}\n`);
        await writeFile(join(folder, "wrong"), `router:${password}2\n`);
        const settings = { url: redis.url, prefix: "team-a", inputs: join(folder, "inputs"), key: keyFileIn(folder) };
        const right = { ...settings, credentials: join(folder, "right") };
        for (const [credentials, reason] of [
          ["wrong", "WRONGPASS"],
          [undefined, "NOAUTH"],
        ] as const) {
          const file = credentials === undefined ? {} : { credentials: join(folder, credentials) };
          const refused = await rejects(runOverQueue(workspace, { ...settings, ...file }, 2), "SERVER_UNREACHABLE");
          assert.is(refused.message, `${redis.url}: cannot be used (${reason})`);
        }
        const { result } = await withWorkers([join(folder, "worker")], right, () => runOverQueue(workspace, right, 2));
        assert.match(result, /^[0-9a-f]{64}$/);
      },
      {
        // The user may touch the keys of its prefix only.
        config: [
          "user default off",
          `user router on ">${password}" ~team-a:* &* +@all -@admin -@dangerous +info +client`,
        ],
      },
    ),
  ),
);

testWithTool(test, "openssl", "rediss:// needs the certificate that signed the server's", () =>
  inTemporaryFolder(async (folder) => {
    const [key, certificate] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    const made = [
      "req",
      "-x509",
      "-newkey",
      "ed25519",
      "-noenc",
      "-keyout",
      key,
      "-out",
      certificate,
      "-days",
      "2",
      ...names,
    ];
    assert.is(spawnSync("openssl", made).status, 0);
    const config = ["tls-port TLSPORT", `tls-cert-file ${certificate}`, `tls-key-file ${key}`, "tls-auth-clients no"];
    await withRedis(
      folder,
      async ({ tlsUrl: url }) => {
        const packages = await queuePackages();
        const refused = rejects(
          openQueueAddress({ url }).then((address) => connect(packages, address)),
          "SERVER_UNREACHABLE",
        );
        assert.match((await refused).message, /cannot be used \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/);
        const client = await connect(packages, await openQueueAddress({ url, ca: certificate }));
        assert.is(await client.ping(), "PONG");
        client.disconnect();
      },
      { config },
    );
  }),
);

testWithTool(test, "redis-server", "a shard that takes longer than it may is an attempt that failed", () =>
  inTemporaryFolder((folder) =>
    withRedis(folder, async (redis) => {
      const workspace = await fittedIn(join(folder, "run"));
      const settings = { url: redis.url, key: keyFileIn(folder) };
      const workbench = await openWorkbench({ folder: workspace });
      const options = { settings, shards: 1, timeoutSeconds: 0, maxErrorShare: 0, onNote: () => undefined };
      const { result } = await withWorkers([workspace], settings, () =>
        withHistory(workbench, "write", (session) => rejects(scoreRunOverQueue(session, options), "SHARDS_FAILED")),
      );
      assert.match(result.message, "shard 1: DEADLINE_EXCEEDED: not scored within 0 s");
    }),
  ),
);

/** Answers every job with the given bytes until the body ends, as anybody can who may write to Redis. */
async function answering<T>(settings: QueueSettings, bytes: Buffer, body: () => Promise<T>): Promise<T> {
  const packages = await queuePackages();
  const address = await openQueueAddress(settings);
  const client = await connect(packages, address);
  const answer = async (job: Job): Promise<string> => {
    await client.set(resultKey(address.prefix, job.id ?? ""), bytes);
    return "";
  };
  const connection = { ...connectionOf(address), maxRetriesPerRequest: null };
  const worker = new packages.Worker(queueName, answer, { connection, prefix: address.prefix });
  try {
    return await body();
  } finally {
    await worker.close();
    client.disconnect();
  }
}

testWithTool(test, "redis-server", "a result that somebody without the key changed is refused by name, not saved", () =>
  inTemporaryFolder((folder) =>
    withRedis(folder, async (redis) => {
      const workspace = await fittedIn(join(folder, "run"));
      const settings = { url: redis.url, key: keyFileIn(folder) };
      const workbench = await openWorkbench({ folder: workspace });
      const asked = { shard: { shard: 1, shards: 1 }, shardFolder: join(folder, "shards"), queueKey: settings.key };
      const { file } = await evaluateShard(workbench, asked);
      const honest = await readFile(file);
      const refused = await answering(settings, forgedShard(honest), () =>
        rejects(runOverQueue(workspace, settings, 1), "SHARDS_FAILED"),
      );
      assert.match(
        refused.message,
        `its workers sent invalid results (result: not authenticated by the key ${settings.key})`,
      );
      const runs = await withHistory(workbench, "read", async ({ history }) => listEntries(history, { kind: "run" }));
      assert.equal(runs, []);
      const run = await answering(settings, honest, () => runOverQueue(workspace, settings, 1));
      assert.match(run, /^[0-9a-f]{64}$/);
    }),
  ),
);

test("an address with a password is refused without repeating it, and so is one that is no Redis", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd, tiny);
    for (const url of [
      `redis://router:${password.replaceAll(" ", "-")}@host`,
      "http://secret-host",
      "secret-nonsense",
    ]) {
      const { code, stdout, stderr } = await sluice(["eval", "run", "--queue", url, "--json"], { cwd });
      assert.is(code, 2, stdout);
      assert.not.match(stdout + stderr, /horse|secret/);
    }
    const { code, stdout } = await sluice(["eval", "worker", "--queue", "redis://127.0.0.1:1", "--json"], { cwd });
    assert.is(code, 1);
    assert.match(stdout, "redis://127.0.0.1:1: cannot be used (ECONNREFUSED)");
  }));

for (const appendOnly of [true, false]) {
  const with_ = appendOnly ? "with" : "without";
  testWithTool(
    test,
    "redis-server",
    `workers are killed and Redis restarts ${with_} its append-only file: the same run`,
    () =>
      inTemporaryFolder((folder) =>
        withRedis(
          folder,
          async (redis) => {
            const single = await scoreSmallWorkspace(await madeIn(folder, "single"), tiny);
            const seeded = seededRandom(appendOnly ? 1 : 2);
            // Under one half, so that Redis restarts with every kill.
            const random = (): number => seeded.uniform() / 2;
            const workspace = await fittedIn(join(folder, "run"));
            const round = { redis, workspace, workers: 1, shards: 20 };
            const found = await chaosRound({ ...round, scratch: folder, random });
            if (found.run === null) {
              assert.ok(found.failed.length > 0, "the missing shards are named");
              const { run } = await chaosRound({ ...round, scratch: await madeIn(folder, "again"), random: null });
              assert.is(run, single, "once nothing is killed, they are scored");
            } else assert.is(found.run, single);
            assert.ok(found.kills >= 1 && found.restarts >= 1, JSON.stringify(found));
          },
          { appendOnly },
        ),
      ),
  );
}
