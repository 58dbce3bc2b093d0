/**
 * Is it true how many labelled requests the next target of a catalog needs? Calibrates catalogs of the synthetic worlds that
 * a claim about this catalog covers, plans the next step, does what the plan says, and counts how often the target is
 * certified: with as many further requests, and with as many others in all. Plans state 0.50 to 0.80; the mean is printed.
 *
 *   node dist/bench/next-step-honesty.js [--catalogs 12x12,30x10,150x20] [--target 0.05] [--draws 25]
 *     [--samples 100] [--world TEXT] [--seed 1]
 *
 * --catalogs: workflows and labelled requests of each.
 */
import { parseArgs } from "node:util";
import { type FollowedSteps, followNextSteps } from "../test/calibrate/plan/follow-next-step.js";
import { syntheticWorlds } from "../test/calibrate/guarantee/worlds.js";

const { values } = parseArgs({
  options: {
    catalogs: { type: "string", default: "12x12,30x10,150x20" },
    target: { type: "string", default: "0.05" },
    draws: { type: "string", default: "25" },
    samples: { type: "string", default: "100" },
    world: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
  },
});
const [draws, samples, seed] = [Number(values.draws), Number(values.samples), Number(values.seed)];

const share = (certified: number, of: number): string =>
  (of === 0 ? "-" : `${+certified.toFixed(1)}/${of} ${(certified / of).toFixed(2)}`).padEnd(14);

function show(size: string, world: string, followed: FollowedSteps): void {
  const { asked, stated, continued, fresh, notEnough, enoughAfterAll } = followed;
  const cells = [share(stated, asked), share(continued, asked), share(fresh, asked), share(enoughAfterAll, notEnough)];
  process.stdout.write(`${size.padEnd(8)} ${world.padEnd(24)} ${cells.join("")}\n`);
}

process.stdout.write(
  "catalog, world, of planned: certified as stated, with further requests, with others; of not enough: with ten times as many\n",
);
for (const size of values.catalogs.split(",")) {
  const [workflows = 0, each = 0] = size.split("x").map(Number);
  const all = { asked: 0, stated: 0, continued: 0, fresh: 0, notEnough: 0, enoughAfterAll: 0 };
  for (const [i, world] of syntheticWorlds.entries()) {
    if (!world.covers["fixed-catalog"] || !world.name.includes(values.world)) continue;
    const followed = await followNextSteps(
      world,
      { workflows, each },
      {
        planned: Number(values.target),
        draws,
        seed: 1000 * seed + i,
        samples,
      },
    );
    for (const key of ["asked", "stated", "continued", "fresh", "notEnough", "enoughAfterAll"] as const)
      all[key] += followed[key];
    show(size, world.name, followed);
  }
  show(size, "all", all);
}
