import { equivalentSample, readAsFixedCatalog, type WeightedSide } from "../../../calibrate/claims/fixed-catalog.js";
import { countThresholdSteps } from "../../../calibrate/fixed-sequence-test.js";
import { pExact } from "../../../calibrate/stats/binomial-test.js";
import { seededRandom, type SeededRandom } from "../../../src/base/numbers/seeded-random.js";
import { near } from "../../support/oracle.js";
import { assert, test } from "../../support/test.js";

interface Tested {
  readonly outOfScope: boolean;
  readonly error: boolean;
  readonly family?: string;
  readonly nearCopy?: string;
}

const inScope = (count: number, wrong: number): readonly Tested[] =>
  Array.from({ length: count }, (_, i) => ({ outOfScope: false, error: i < wrong }));

/** Routed out-of-scope requests in groups. */
const groups = (count: number, size: number): readonly Tested[] =>
  Array.from({ length: count * size }, (_, i) => ({
    outOfScope: true,
    error: true,
    ...alike(`group ${Math.floor(i / size)}`),
  }));

/** Requests that count as one. */
const alike = (name: string) => ({ family: name, nearCopy: name });

/** The single step that routes all of these, out of `asked` in-scope requests and out-of-scope groups of `size`. */
function stepOf(
  tested: readonly Tested[],
  { asked = 200, groups: all = 0, size = 1, share = null as number | null } = {},
) {
  const rows = tested.map((row) => ({ ...row, confidence: 0.9, cluster: row.family ?? "w" }));
  const requests = {
    inScope: new Map([["w", asked]]),
    outOfScope: new Map(Array.from({ length: all }, (_, i) => [`group ${i}`, size])),
  };
  const [step] = countThresholdSteps([0.5], rows, readAsFixedCatalog(rows, requests, share));
  assert.ok(step !== undefined);
  return (target: number) => step.judge({ target, delta: 0.05 }).pValue;
}

test("independent requests in the mix of the labelled ones are tested by the exact binomial test", () => {
  const pValue = stepOf([...inScope(100, 3), ...groups(2, 1)], { groups: 20 });
  near(pValue(0.1), pExact(5, 102, 0.1), 1e-9);
});

test("a group of out-of-scope requests weighs what its requests weigh, and is one piece of evidence", () => {
  const single = stepOf([...inScope(100, 3), ...groups(4, 1)], { groups: 40 })(0.15);
  const grouped = stepOf([...inScope(100, 3), ...groups(1, 4)], { groups: 10, size: 4 })(0.15);
  assert.ok(grouped > 1.5 * single, `${grouped} against ${single}`);
  const none = stepOf(inScope(100, 0), { groups: 10, size: 4 })(0.05);
  assert.ok(none > pExact(0, 100, 0.05) && none > 0.05, "ten groups that were declined say little about the next");
});

test("near-copies in scope count as one request", () => {
  const copies = inScope(90, 0).map((row, i) => ({ ...row, ...alike(`copies ${Math.floor(i / 3)}`) }));
  near(stepOf(copies)(0.05), pExact(0, 30, 0.05), 1e-9);
});

test("requests that resemble each other are independent, unless they are wrong together", () => {
  const inFamilies = (familyOf: (i: number) => number) =>
    stepOf(inScope(120, 4).map((row, i) => ({ ...row, family: `${familyOf(i)}` })))(0.1);
  near(
    inFamilies((i) => i % 10),
    pExact(4, 120, 0.1),
    1e-9,
  );
  assert.ok(inFamilies((i) => Math.floor(i / 10)) > 4 * pExact(4, 120, 0.1));
});

test("families of unequal size whose errors are correlated: a claim at the true risk passes in at most 5%", () => {
  const random = seededRandom(5);
  const [draws, target] = [800, 0.1];
  const passed = Array.from({ length: draws }, () => {
    const tested: Tested[] = [];
    for (let family = 0; tested.length < 400; family += 1) {
      const size = [1, 1, 1, 1, 2, 3, 5, 15][random.integer(0, 7)] ?? 1;
      const first = random.uniform() < target;
      for (let i = 0; i < size; i += 1) {
        const error = i === 0 || random.uniform() < 0.3 ? first : random.uniform() < target;
        tested.push({ outOfScope: false, error, family: `${family}` });
      }
    }
    return stepOf(tested)(target) <= 0.05;
  }).filter(Boolean).length;
  const limit = draws * (0.05 + 3 * Math.sqrt((0.05 * 0.95) / draws));
  assert.ok(passed <= limit, `${passed} of ${draws}, at most ${limit}`);
});

test("a larger declared share needs more evidence, and a share without any labelled request has none", () => {
  const tested = [...inScope(300, 3), ...groups(2, 1)];
  const at = (share: number) => stepOf(tested, { groups: 50, share })(0.1);
  assert.ok(at(0.05) < at(0.2) && at(0.2) < at(0.5));
  assert.is(stepOf(inScope(300, 0), { share: 0.1 })(0.1), 1);
});

test("more errors never give more evidence, on either side", () => {
  const side = (errors: number, weight: number): WeightedSide => ({
    routed: 400,
    errors,
    errorSquares: errors,
    copies: 1,
    weight,
  });
  const rate = (wrong: number, outside: number) => {
    const { errors, trials } = equivalentSample([side(wrong, 1), side(outside, 4)]);
    return errors / trials;
  };
  assert.ok(rate(10, 2) < rate(11, 2) && rate(10, 2) < rate(10, 3));
});

/** Whether a target is certified although the true wrong share of the routes equals it. */
function certifiesAtTarget(random: SeededRandom, target: number, outside: number, size: number): boolean {
  const [asked, count] = [400, size === 1 ? 150 : 30];
  const mass = (0.5 * asked * target) / (1 - target * outside);
  const wrong = ((1 - outside) * mass) / (0.5 * asked);
  const taken = (outside * mass) / (count * size);
  const inside = Array.from({ length: asked }, () => random.uniform() < 0.5)
    .filter(Boolean)
    .map(() => ({ outOfScope: false, error: random.uniform() < wrong }));
  const routed = Array.from({ length: count }, () => random.uniform() < taken).filter(Boolean).length;
  return stepOf([...inside, ...groups(routed, size)], { asked, groups: count, size })(target) <= 0.05;
}

for (const size of [1, 4, 10]) {
  test(`groups of ${size}: a claim at the true risk passes in at most 5%, however it is divided`, () => {
    const random = seededRandom(size);
    const draws = 800;
    const limit = draws * (0.05 + 3 * Math.sqrt((0.05 * 0.95) / draws));
    for (const target of [0.05, 0.2]) {
      for (const outside of [0, 0.4, 1]) {
        const passed = Array.from({ length: draws }, () => certifiesAtTarget(random, target, outside, size));
        const found = passed.filter(Boolean).length;
        assert.ok(found <= limit, `${target}, ${outside}: ${found} of ${draws}, at most ${limit}`);
      }
    }
  });
}
