import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert, inTemporaryFolder, packageRoot, test } from "../../support/test.js";

const at = (path: string): string => JSON.stringify(join(packageRoot, path));

/** What a program leaves in its home folder when a user runs it, outside of any pipeline. */
async function leftAtHome(program: string): Promise<readonly string[]> {
  const left: string[] = [];
  await inTemporaryFolder(async (folder) => {
    const [home, file] = [join(folder, "home"), join(folder, "program.mjs")];
    mkdirSync(home);
    writeFileSync(file, program);
    await promisify(execFile)(process.execPath, [file], { env: { HOME: home, PATH: process.env["PATH"] } });
    left.push(...readdirSync(home, { recursive: true, encoding: "utf8" }));
  });
  return left;
}

const inPool = `
  const { testModels } = await import(${at("dist/test/support/models.js")});
  const { aCatalog } = await import(${at("dist/test/support/builders.js")});
  await (await testModels(aCatalog())).close();
`;

const inspected = `
  const { inspectGraph } = await import(${at("dist/src/inference/inspect-graph.js")});
  const { scorerGraph } = await import(${at("dist/test/support/transformer-exports.js")});
  await inspectGraph({ bytes: scorerGraph({ columns: 3 }), externalData: [] });
`;

const here = `
  const { scorerGraph } = await import(${at("dist/test/support/transformer-exports.js")});
  const { InferenceSession } = (await import(${at("node_modules/onnxruntime-node/dist/index.js")})).default;
  await InferenceSession.create(scorerGraph({ columns: 3 }));
`;

test("models in a pool and graphs that are inspected leave no device id and no report behind", async () => {
  for (const program of [inPool, inspected]) assert.equal(await leftAtHome(program), []);
});

test("ONNX Runtime by itself would leave them, so that this test can fail", async () => {
  const left = await leftAtHome(here);
  assert.ok(
    left.some((path) => path.endsWith("deviceid")),
    "this version no longer reports anything: the switch can go",
  );
});
