import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeReportFile } from "../../../stages/report/page-file.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";

test("of reports that are written to one file at once, each ends, and one whole report is left", () =>
  inTemporaryFolder(async (folder) => {
    const file = join(folder, "report.html");
    const reports = Array.from({ length: 20 }, (_, index) => String(index).repeat(100_000));
    await Promise.all(reports.map((report) => writeReportFile(file, Buffer.from(report))));
    assert.ok(reports.includes(readFileSync(file, "utf8")));
    assert.equal(readdirSync(folder), ["report.html"]);
  }));

test("a report in a folder that does not exist is an error that names the file and another option", async () => {
  const error = await rejects(writeReportFile("no-such-folder/report.html", Buffer.from("x")), "WRITE_FAILED");
  assert.is(error.message, "no-such-folder/report.html: its folder does not exist");
  assert.match(error.hint ?? "", "sluice report eval --out FILE");
});
