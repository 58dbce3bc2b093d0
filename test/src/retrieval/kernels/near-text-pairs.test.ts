import { suite } from "uvu";
import * as assert from "uvu/assert";
import { idRanksOf } from "../../../../src/retrieval/best-positions.js";
import { kernelTexts } from "../../../../src/retrieval/kernels/kernel-texts.js";
import { NearTextPairs } from "../../../../src/retrieval/kernels/near-text-pairs.js";
import { textRanks } from "../../../../src/retrieval/kernels/rivals.js";
import { kernelNames, TextKernels } from "../../../../src/retrieval/kernels/text-kernels.js";
import { AllTextPairs } from "../../../../src/retrieval/kernels/text-pairs.js";
import { someWorkflows } from "../../../support/builders.js";
import { withPool } from "../../../support/pools.js";
import { deskVectors, wordKernelsModel } from "../../../support/word-vectors.js";

const test = suite("src/retrieval/kernels/near-text-pairs");

const noPause = async (): Promise<void> => {};

test("with room for every text, near texts and all texts give the same neighbourhoods", () =>
  withPool({}, async (pool) => {
    const { texts, starts, workflowIds } = kernelTexts(someWorkflows());
    const source = { vectors: deskVectors, settings: wordKernelsModel().kernels, pool, pause: noPause };
    const kernels = await TextKernels.create(texts, source);
    const idRanks = idRanksOf(workflowIds);
    const layout = { starts, ranks: textRanks(idRanks, starts), rivals: 100 };
    const all = await AllTextPairs.create(kernels, layout, noPause);
    const near = new NearTextPairs(kernels, layout, idRanks);
    for (const workflow of workflowIds.keys()) {
      const [one, other] = [all.neighbourhood(workflow), near.neighbourhood(workflow)];
      assert.equal(other.own, one.own);
      const known = other.rivals.map((text) => one.rivals.indexOf(text));
      assert.ok(known.every((place) => place >= 0));
      const places = [...one.own.keys(), ...known.map((place) => one.own.length + place)];
      for (const kernel of [...kernelNames, "mixed" as const]) {
        for (const [i, place] of places.entries()) {
          const difference = other.similarity(kernel, i, 0) - one.similarity(kernel, place, 0);
          assert.ok(Math.abs(difference) < 1e-5, `${kernel} of ${workflow}, ${i}`);
        }
      }
    }
  }));

test("fewer rivals are the nearest ones", () =>
  withPool({}, async (pool) => {
    const { texts, starts, workflowIds } = kernelTexts(someWorkflows());
    const settings = wordKernelsModel().kernels;
    const kernels = await TextKernels.create(texts, { vectors: null, settings, pool, pause: noPause });
    const ranks = textRanks(idRanksOf(workflowIds), starts);
    const three = (await AllTextPairs.create(kernels, { starts, ranks, rivals: 3 }, noPause)).neighbourhood(1);
    const every = (await AllTextPairs.create(kernels, { starts, ranks, rivals: 100 }, noPause)).neighbourhood(1);
    assert.equal(three.rivals, every.rivals.slice(0, 3));
    const closest = (place: number): number =>
      Math.max(...every.own.map((_, own) => every.similarity("mixed", own, place)));
    const falling = every.rivals.map((_, i) => closest(every.own.length + i));
    assert.equal(
      falling,
      [...falling].sort((a, b) => b - a),
    );
  }));

test.run();
