import { PassThrough } from "node:stream";
import { askAtTerminal } from "../../cli/ask-at-terminal.js";
import { assert, test } from "../support/test.js";

/** A stand-in for a terminal that keeps what is written to it and the raw mode. */
function terminal() {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => modes.push(raw) });
  const output = new PassThrough().setEncoding("utf8");
  return { modes, input, output, interruption: new AbortController() };
}

test("the typed line is returned and never echoed; backspace removes a character", async () => {
  const { modes, input, output, interruption } = terminal();
  const answer = askAtTerminal("Passphrase: ", input, output, { interruption });
  input.write("pax\u007f");
  input.write("ss word\r");
  assert.is(await answer, "pass word");
  assert.is(output.read(), "Passphrase: \n");
  assert.equal(modes, [true, false]);
});

test("an empty line is an empty answer", async () => {
  const { input, output, interruption } = terminal();
  const answer = askAtTerminal("? ", input, output, { interruption });
  input.write("\n");
  assert.is(await answer, "");
});

test("an answer that is no secret is shown while it is typed", async () => {
  const { input, output, interruption } = terminal();
  const answer = askAtTerminal("Number: ", input, output, { interruption, echo: true });
  input.write("12\u007f\r");
  assert.is(await answer, "1");
  assert.is(output.read(), "Number: 12\b \b\n");
});

test("Ctrl-C, which a raw terminal delivers as a character, interrupts the command", async () => {
  const { modes, input, output, interruption } = terminal();
  const answer = askAtTerminal("? ", input, output, { interruption }).then(
    () => "answered",
    () => "interrupted",
  );
  input.write("secret\u0003");
  assert.is(await answer, "interrupted");
  assert.is(interruption.signal.aborted, true);
  assert.equal(modes, [true, false]);
});
