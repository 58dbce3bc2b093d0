/** Word vectors small enough to be fitted in a test: six workflows, a lexicon of four synsets. */
import type { FitData } from "../../workbench/fit/words/fit-data.js";
import { defaultVectorSettings, type VectorSettings } from "../../workbench/fit/words/vector-settings.js";

const actions = ["lock", "replace", "cancel"] as const;
const things = ["card", "flight"] as const;
const frames = [
  "please ACTION my THING",
  "can you ACTION the THING",
  "i want to ACTION a THING today",
  "THING: ACTION it",
];

const fill = (frame: string, action: string, thing: string): string =>
  frame.replace("ACTION", action).replace("THING", thing);

const workflows = things.flatMap((thing) => actions.map((action) => ({ action, thing, id: `${action}.${thing}` })));

export const smallFitData: FitData = {
  requests: workflows.flatMap(({ action, thing, id }) =>
    frames.map((frame) => ({ text: fill(frame, action, thing), workflow: id })),
  ),
  workflows: workflows.map(({ action, thing, id }) => {
    return { id, classKey: id, name: `${action} ${thing}`, descriptions: [`we ${action} your ${thing}`] };
  }),
  synsets: [
    {
      id: "1",
      lemmas: ["cancel", "call off"],
      definition: "give up a plan",
      examples: ["cancel a trip"],
      hypernyms: ["3"],
    },
    {
      id: "2",
      lemmas: ["replace", "swap"],
      definition: "put another in the place of one",
      examples: [],
      hypernyms: ["3"],
    },
    { id: "3", lemmas: ["act"], definition: "do something", examples: ["she acts at once"], hypernyms: [] },
    { id: "4", lemmas: ["flight", "trip by air"], definition: "a journey by plane", examples: [], hypernyms: [] },
  ],
};

export const smallFitSettings: VectorSettings = {
  ...defaultVectorSettings,
  vocabulary: 100,
  dimensions: 16,
  contrastive: {
    ...defaultVectorSettings.contrastive,
    steps: 220,
    pairs: { ...defaultVectorSettings.contrastive.pairs, lexicon: 8, workflow: 6 },
    rate: 0.02,
  },
};
