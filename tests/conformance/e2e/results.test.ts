import assert from "node:assert/strict";
import { test } from "node:test";
import { readResults, summary } from "./results.ts";

const xml = `<testsuites><testsuite>
<testcase name="[SynchronizedBeforeSuite]" classname="s" status="passed" time="1"></testcase>
<testcase name="[It] [sig-apps] a &amp; b &#34;c&#34; [Conformance]" classname="s" status="passed" time="2.5"><system-err>x</system-err></testcase>
<testcase name="[It] [sig-node] d" classname="s" status="failed" time="61.2"><failure message="timed out&#xA;at e" type="failed">f</failure></testcase>
<testcase name="[It] g" classname="s" status="skipped" time="0"><skipped message="skipped"></skipped></testcase>
<testcase name="[It] h" classname="s" status="passed" time="1"/>
</testsuite></testsuites>`;

test("the specs that ran are read, with why they failed", () => {
  assert.deepEqual(readResults(xml), [
    { name: '[sig-apps] a & b "c" [Conformance]', passed: true, seconds: 2.5, message: "" },
    { name: "[sig-node] d", passed: false, seconds: 61.2, message: "timed out\nat e" },
    { name: "h", passed: true, seconds: 1, message: "" },
  ]);
  assert.equal(summary(readResults(xml)), "failed after 61 s: [sig-node] d\n  timed out\n2 of 3 specs passed");
});
