import { lineOf } from "../../src/base/invocation.js";
import { type LabelPageView, renderLabelPage } from "../../reports/label/label-page.js";
import { requireFreePort } from "../../serve/listen.js";
import { startFormServer } from "../../serve/pages/page-server.js";
import { SluiceError } from "../../src/base/error.js";
import { counted } from "../../src/documents/number-text.js";
import { draftLabels, type LabelAnswer, type Labeller, openLabelling } from "../../stages/label.js";
import type { WorkOf } from "../command.js";
import type { CommandContext } from "../context.js";
import type { ResultParts } from "../result.js";
import type { labelSpec } from "../specs/project.js";
import { fields } from "../table.js";
import { untilInterrupted } from "../until-interrupted.js";

const host = "127.0.0.1";

export const label: WorkOf<typeof labelSpec> = async (context, args, { draft, port }) => {
  const { texts } = args;
  if (draft !== undefined) return writeDraft(context, { ...args, draft });
  await requireFreePort(port, host);
  context.note(`opening the models and reading ${texts === undefined ? "the log" : texts}`);
  const labeller = await openLabelling(context, args);
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

async function writeDraft(
  context: CommandContext,
  { file, texts, judge, judgeCommand, draft }: Parameters<typeof label>[1] & { readonly draft: string },
): Promise<ResultParts> {
  if (texts !== undefined || judge !== undefined || judgeCommand !== undefined) {
    throw new SluiceError("USAGE", "found --draft and other labels, expected --draft alone");
  }
  const found = await draftLabels(context, { file, draft });
  const without = found.without === 0 ? "" : ` (none for ${counted(found.without, "other", "others")})`;
  return {
    result: { file: draft, ...found },
    lines: [
      `${counted(found.texts, "text")} of ${counted(found.workflows, "workflow")}${without} in ${context.here(draft)}: correct "predicted", empty it where no workflow fits, and delete the rows you doubt`,
    ],
    next: [context.next("label", "--judge", draft)],
  };
}

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
