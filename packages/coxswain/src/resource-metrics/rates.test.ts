import assert from "node:assert/strict";
import { test } from "node:test";
import { Rates } from "./rates.ts";
import { parseResourceMetrics, type Sample } from "./scrape.ts";

const sampleAt = (at: number, cpuSeconds: number, startedAt = 0): Sample => ({ at, cpuSeconds, memoryBytes: 1024, startedAt });

/** What is measured of one thing after these samples of it. */
function measured(...samples: readonly (Sample | undefined)[]) {
  const rates = new Rates();
  for (const sample of samples) rates.add(new Map(sample === undefined ? [] : [["a", sample]]));
  const [found] = [...rates.measured()];
  return found === undefined ? undefined : { cpu: found[1].cpuNanocores, windowMs: found[1].windowMs, at: found[1].at };
}

const cases = [
  { name: "one sample without a start time gives nothing", samples: [sampleAt(10_000, 5)], expect: undefined },
  {
    name: "one sample gives the average since the start",
    samples: [sampleAt(10_000, 1, 8_000)],
    expect: { cpu: 5e8, windowMs: 2_000, at: 10_000 },
  },
  {
    name: "two samples give what was used between",
    samples: [sampleAt(10_000, 5), sampleAt(12_000, 6)],
    expect: { cpu: 5e8, windowMs: 2_000, at: 12_000 },
  },
  {
    name: "the same sample twice is one",
    samples: [sampleAt(10_000, 5), sampleAt(12_000, 6), sampleAt(12_000, 6)],
    expect: { cpu: 5e8, windowMs: 2_000, at: 12_000 },
  },
  {
    name: "only the last two samples count",
    samples: [sampleAt(0, 0), sampleAt(1_000, 1), sampleAt(2_000, 1)],
    expect: { cpu: 0, windowMs: 1_000, at: 2_000 },
  },
  {
    name: "what has restarted is another",
    samples: [sampleAt(10_000, 5, 1), sampleAt(12_000, 1, 11_000)],
    expect: { cpu: 1e9, windowMs: 1_000, at: 12_000 },
  },
  { name: "a counter that falls has restarted", samples: [sampleAt(10_000, 5), sampleAt(12_000, 1)], expect: undefined },
  { name: "what is gone is forgotten", samples: [sampleAt(10_000, 5), sampleAt(12_000, 6), undefined], expect: undefined },
];
for (const { name, samples, expect } of cases) test(name, () => assert.deepEqual(measured(...samples), expect));

test("a kubelet's figures", () => {
  const text = `# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time
container_cpu_usage_seconds_total{container="c",namespace="ns",pod="p"} 1.5 2000
container_memory_working_set_bytes{container="c",namespace="ns",pod="p"} 4.096e+06 2000
container_start_time_seconds{container="c",namespace="ns",pod="p"} 1.5
container_cpu_usage_seconds_total{container="half",namespace="ns",pod="p"} 1.5 2000
node_cpu_usage_seconds_total 100 3000
node_memory_working_set_bytes 5 3000
pod_cpu_usage_seconds_total{namespace="ns",pod="p"} 1.5 2000
scrape_error 0
`;
  const { node, containers } = parseResourceMetrics(text);
  assert.deepEqual(node, { at: 3_000, cpuSeconds: 100, memoryBytes: 5, startedAt: 0 });
  assert.deepEqual([...containers], [["ns/p/c", { at: 2_000, cpuSeconds: 1.5, memoryBytes: 4_096_000, startedAt: 1_500 }]]);
});
