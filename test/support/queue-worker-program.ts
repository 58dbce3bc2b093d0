import { openWorkbench } from "../../stages/open-workbench.js";
import type { QueueSettings } from "../../store/project/queue-settings.js";
import { workOnQueue } from "../../stages/score/queue/work-on-queue.js";

// A worker in a separate process: settings as JSON, workspace, and how long it keeps a shard when it is silent.
const [settings = "", folder = "", lockMs = "30000"] = process.argv.slice(2);
const ended = new AbortController();
process.once("SIGINT", () => ended.abort());
const workbench = await openWorkbench({ folder, signal: ended.signal });
const scored = await workOnQueue(workbench, {
  settings: JSON.parse(settings) as QueueSettings,
  concurrency: 1,
  workers: 1,
  lockMs: Number(lockMs),
  onShard: ({ shard, failure }) => process.stdout.write(`${shard}${failure === null ? "" : ` ${failure}`}\n`),
});
process.stdout.write(`ended after ${scored}\n`);
