import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeMetricsTexts } from "./merge-texts.ts";

const help = (name: string, type: string): string => `# HELP ${name} of ${name}\n# TYPE ${name} ${type}\n`;

test("a family of several texts comes once, with the samples of all", () => {
  const one = `${help("a", "counter")}a{x="1 2"} 1\na{x="2"} 2.5\n${help("b", "gauge")}b -1\n`;
  const other = `${help("c", "gauge")}c +Inf\n${help("a", "counter")}a{x="1 2"} 3\na{x="3"} 4\n`;
  assert.equal(
    mergeMetricsTexts([one, other]),
    `${help("a", "counter")}a{x="1 2"} 4\na{x="2"} 2.5\na{x="3"} 4\n${help("b", "gauge")}b -1\n${help("c", "gauge")}c +Inf\n`,
  );
});

test("histograms add up", () => {
  const text = `${help("h", "histogram")}h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 3.5\nh_count 2\n`;
  assert.equal(mergeMetricsTexts([text, text]), `${help("h", "histogram")}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 4\nh_sum 7\nh_count 4\n`);
});

test("one text alone stays as it is", () => {
  assert.equal(mergeMetricsTexts(["# x\na 01\n"]), "# x\na 01\n");
  assert.equal(mergeMetricsTexts([]), "");
});
