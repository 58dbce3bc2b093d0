import { lineOf } from "../shell-line.js";
import { type LabelPageView, renderLabelPage } from "../../reports/label/label-page.js";
import { requireFreePort } from "../../serve/listen.js";
import { startFormServer } from "../../serve/pages/page-server.js";
import { SluiceError } from "../../src/base/error.js";
import { counted } from "../../src/documents/number-text.js";
import { type LabelAnswer, type Labeller, openLabelling } from "../../stages/label.js";
import type { WorkOf } from "../command.js";
import type { labelSpec } from "../specs/project.js";
import { fields } from "../table.js";
import { untilInterrupted } from "../until-interrupted.js";

const host = "127.0.0.1";

export const label: WorkOf<typeof labelSpec> = async (context, { file, texts, judge, judgeCommand, port }) => {
  await requireFreePort(port, host);
  context.note(`opening the models and reading ${texts === undefined ? "the log" : texts}`);
  const labeller = await openLabelling(context, { file, texts, judge, judgeCommand });
  const { advice } = await labeller.view();
  if (advice !== null) context.note(advice);
  const next = context.next("run");
  const page = async (token: string): Promise<string> => {
    const view: LabelPageView = { ...(await labeller.view()), token, actor: context.actor, next: lineOf(next) };
    return renderLabelPage(view);
  };
  const server = await startFormServer(
    { host, port },
    {
      show: page,
      send: async (form, token) => {
        await send(labeller, form);
        return page(token);
      },
    },
  );
  for (const line of fields([
    ["open", `${server.address}/`],
    ["saves", `each click, as ${context.actor}, in ${context.here(context.workspace.history)}`],
    ["stop it", "Ctrl-C"],
  ])) {
    context.note(line);
  }
  await untilInterrupted(context.signal);
  await server.close();
  const { progress, question } = await labeller.view();
  const added = await labeller.close();
  return {
    result: { progress, finished: question === null, added_examples: added },
    lines: texts === undefined ? [progress] : [`${counted(added, "example")} added to the catalog`],
    next: [question === null || added > 0 ? next : context.next("label", ...(texts === undefined ? [] : [texts]))],
  };
};

/** Saves the answer of a form. @throws {SluiceError} REQUEST_MALFORMED */
async function send(labeller: Labeller, form: URLSearchParams): Promise<void> {
  if (form.get("do") === "undo") return labeller.undo();
  await labeller.answer(answerOf(form));
}

function answerOf(form: URLSearchParams): LabelAnswer {
  const [row, phase, workflow, said] = ["row", "phase", "workflow", "do"].map((name) => form.get(name));
  const isPhase = phase === "example" || phase === "test" || phase === "second";
  if (typeof row !== "string" || !isPhase) throw new SluiceError("REQUEST_MALFORMED", "the form names no request");
  if (typeof workflow === "string" && workflow !== "") {
    return { row, phase, answer: "workflow", workflow_id: workflow.trim() };
  }
  if (said === "none" || said === "unsure") return { row, phase, answer: said, workflow_id: null };
  throw new SluiceError("REQUEST_MALFORMED", "the form has no answer");
}
