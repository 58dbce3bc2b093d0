import { existsSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { succeed } from "./support/small-workspace.js";

const test = suite("cli/project");

interface Steps {
  readonly steps: readonly { readonly name: string; readonly state: string }[];
}

const states = ({ steps }: Steps): readonly string[] => steps.map(({ state }) => state);

test("status and a dry run say what is missing and create nothing; run does it once", () =>
  inTemporaryFolder(async (cwd) => {
    await succeed(cwd, "init", "--into", "shop", "--owner", "support", "--yes");
    const planned = Array.from({ length: 7 }, () => "planned");
    assert.equal(states(await succeed<Steps>(cwd, "status", "-C", "shop")), planned);
    assert.equal(states(await succeed<Steps>(cwd, "run", "-C", "shop", "--dry-run")), planned);
    assert.not.ok(existsSync(join(cwd, "shop", "sluice-workspace")));
    const run = await succeed<Steps & { readonly claims: readonly string[] }>(cwd, "run", "-C", "shop");
    assert.ok(states(run).every((state) => state === "done"));
    assert.is(run.claims.length, 1);
    const upToDate = planned.map(() => "up_to_date");
    assert.equal(states(await succeed<Steps>(cwd, "run", "-C", "shop")), upToDate);
    assert.equal(states(await succeed<Steps>(cwd, "status", "-C", "shop")), upToDate);
  }));

test.run();
