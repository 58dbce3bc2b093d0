import { readFileSync } from "node:fs";
import { predictionMappings } from "../../../eval/predictions/mappings.js";
import { predictionRuns } from "../../../eval/predictions/prediction-records.js";
import { summarisePredictions } from "../../../eval/predictions/prediction-summary.js";
import { readPredictions } from "../../../eval/predictions/read-predictions.js";
import { assert, shared, test, testWithShared } from "../../support/test.js";

/**
 * Published best-MCC points, and the values measured on the same file: threshold, in-acc, OOS recall, MCC, AUROC, AURC,
 * coverage at 90 and 95% in per cent, ECE. Eight confidences of curekart dialogflow are exactly .9: its ECE is .090 with
 * bins closed on the left, and would be .091 with bins closed on the right.
 */
const table: Readonly<Record<string, readonly number[]>> = {
  "curekart rasa": [0.9, 0.739, 0.558, 0.511, 0.801, 0.343, 14.8, 8.9, 0.439],
  "curekart dialogflow": [0.6, 0.573, 0.865, 0.578, 0.856, 0.363, 16.8, 9.3, 0.09],
  "curekart luis": [0.6, 0.509, 0.879, 0.539, 0.827, 0.411, 8.4, 0.5, 0.117],
  "curekart haptik": [0.6, 0.604, 0.868, 0.603, 0.85, 0.347, 15.3, 5.5, 0.095],
  "curekart bert": [0.9, 0.803, 0.523, 0.553, 0.824, 0.345, 8.9, 7.9, 0.46],
  "powerplay11 rasa": [0.8, 0.316, 0.873, 0.34, 0.709, 0.694, 1.8, 1.3, 0.389],
  "powerplay11 dialogflow": [0.6, 0.476, 0.677, 0.353, 0.728, 0.683, 0, 0, 0.322],
  "powerplay11 luis": [0.2, 0.415, 0.729, 0.359, 0.762, 0.709, 0.6, 0.6, 0.11],
  "powerplay11 haptik": [0.3, 0.615, 0.617, 0.425, 0.766, 0.645, 1.1, 1.0, 0.194],
  "powerplay11 bert": [0.9, 0.436, 0.754, 0.347, 0.699, 0.66, 1.2, 1.1, 0.488],
  "sofmattress rasa": [0.9, 0.481, 0.855, 0.526, 0.792, 0.371, 1.3, 1.3, 0.332],
  "sofmattress dialogflow": [0.4, 0.719, 0.645, 0.638, 0.869, 0.298, 13.9, 8.8, 0.07],
  "sofmattress luis": [0.1, 0.593, 0.753, 0.581, 0.868, 0.376, 1.3, 1.3, 0.104],
  "sofmattress haptik": [0.3, 0.654, 0.669, 0.588, 0.839, 0.33, 15.6, 1.3, 0.083],
  "sofmattress bert": [0.9, 0.636, 0.765, 0.617, 0.868, 0.318, 6.3, 5.8, 0.387],
};

testWithShared(test, "the whole table of five systems on three chatbots comes from one file", async () => {
  const file = shared("data", "hint3-predictions", "predictions.csv");
  const source = { file, bytes: readFileSync(file) };
  const runs = predictionRuns(
    await readPredictions(source, { mapping: predictionMappings.hint3, by: [["bot"], ["system"]] }),
  );
  assert.is(runs.length, 15);
  const differences: unknown[] = [];
  for (const { by, records } of runs) {
    const s = summarisePredictions(records);
    const rounded = (value: number | null, digits: number) => Number((value ?? Number.NaN).toFixed(digits));
    const name = by.join(" ").toLowerCase();
    const found = [
      s.best_threshold,
      rounded(s.in_scope_accuracy, 3),
      rounded(s.out_of_scope_recall, 3),
      rounded(s.matthews, 3),
      rounded(s.auroc.value, 3),
      rounded(s.aurc.value, 3),
      rounded(100 * (s.coverage_at_90 ?? Number.NaN), 1),
      rounded(100 * (s.coverage_at_95 ?? Number.NaN), 1),
      rounded(s.expected_calibration_error.value, 3),
    ];
    differences.push(...(JSON.stringify(found) === JSON.stringify(table[name]) ? [] : [[name, found, table[name]]]));
  }
  assert.equal(differences, []);
});
