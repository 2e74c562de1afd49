import assert from "node:assert/strict";
import { test } from "node:test";
import { MetricsRegistry } from "./registry.ts";

test("writes counters and gauges by family, in the order of their registration", () => {
  const registry = new MetricsRegistry();
  registry.counter("reads_total", "How many reads", { name: "a" }).add();
  registry.gauge("depth", "How deep").set(2.5);
  registry.counter("reads_total", "How many reads", { name: "b" }).add(3);
  registry.counter("reads_total", "How many reads", { name: "a" }).add();
  assert.equal(
    registry.text(),
    '# HELP reads_total How many reads\n# TYPE reads_total counter\nreads_total{name="a"} 2\nreads_total{name="b"} 3\n' +
      "# HELP depth How deep\n# TYPE depth gauge\ndepth 2.5\n",
  );
});

test("counts a histogram's values in every range that holds them", () => {
  const registry = new MetricsRegistry();
  const histogram = registry.histogram("wait_seconds", "How long", { name: "q" }, [0.1, 1]);
  for (const value of [0.1, 0.5, 7]) histogram.observe(value);
  assert.equal(
    registry.text(),
    '# HELP wait_seconds How long\n# TYPE wait_seconds histogram\nwait_seconds_bucket{name="q",le="0.1"} 1\n' +
      'wait_seconds_bucket{name="q",le="1"} 2\nwait_seconds_bucket{name="q",le="+Inf"} 3\n' +
      'wait_seconds_sum{name="q"} 7.6\nwait_seconds_count{name="q"} 3\n',
  );
});

test("reads a gauge when asked, until it is taken away", () => {
  const registry = new MetricsRegistry();
  let depth = 1;
  const gauge = registry.gaugeOf("depth", "How deep", {}, () => depth);
  depth = 7;
  assert.match(registry.text(), /^depth 7$/m);
  gauge[Symbol.dispose]();
  assert.equal(registry.text(), "");
});

test("escapes what would end a label or a line", () => {
  const registry = new MetricsRegistry();
  registry.counter("odd_total", "a\nb\\", { name: 'x"\n\\' }).add();
  assert.equal(registry.text(), '# HELP odd_total a\\nb\\\\\n# TYPE odd_total counter\nodd_total{name="x\\"\\n\\\\"} 1\n');
});

test("refuses two types under one name", () => {
  const registry = new MetricsRegistry();
  registry.counter("odd_total", "");
  assert.throws(() => registry.gauge("odd_total", ""), TypeError);
});

test("a removed series is no longer written, and starts at 0 when it returns", () => {
  const registry = new MetricsRegistry();
  registry.counter("seen_total", "Seen", { pod: "a" }).add(3);
  registry.counter("seen_total", "Seen", { pod: "b" }).add();
  registry.remove("seen_total", { pod: "a" });
  registry.remove("unknown_total", {});
  assert.equal(registry.text(), '# HELP seen_total Seen\n# TYPE seen_total counter\nseen_total{pod="b"} 1\n');
  registry.counter("seen_total", "Seen", { pod: "a" }).add();
  assert.match(registry.text(), /seen_total\{pod="a"\} 1/);
});
