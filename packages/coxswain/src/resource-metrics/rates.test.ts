import assert from "node:assert/strict";
import { test } from "node:test";
import { Rates } from "./rates.ts";
import { parseResourceMetrics, type Sample } from "./scrape.ts";

const sample = (at: number, cpuSeconds: number, startedAt = 0): Sample => ({ at, cpuSeconds, memoryBytes: 1024, startedAt });

/** What is measured of one thing after these looks at it. */
function measured(...looks: readonly (Sample | undefined)[]) {
  const rates = new Rates();
  for (const look of looks) rates.add(new Map(look === undefined ? [] : [["a", look]]));
  const [found] = [...rates.measured()];
  return found === undefined ? undefined : { cpu: found[1].cpuNanocores, windowMs: found[1].windowMs, at: found[1].at };
}

const cases = [
  { name: "one look tells nothing of what was started nobody knows when", looks: [sample(10_000, 5)], expect: undefined },
  {
    name: "one look tells the average since the start",
    looks: [sample(10_000, 1, 8_000)],
    expect: { cpu: 5e8, windowMs: 2_000, at: 10_000 },
  },
  {
    name: "two looks tell what was used between",
    looks: [sample(10_000, 5), sample(12_000, 6)],
    expect: { cpu: 5e8, windowMs: 2_000, at: 12_000 },
  },
  {
    name: "the same look twice is one",
    looks: [sample(10_000, 5), sample(12_000, 6), sample(12_000, 6)],
    expect: { cpu: 5e8, windowMs: 2_000, at: 12_000 },
  },
  {
    name: "only the last two looks count",
    looks: [sample(0, 0), sample(1_000, 1), sample(2_000, 1)],
    expect: { cpu: 0, windowMs: 1_000, at: 2_000 },
  },
  {
    name: "what has begun anew is another",
    looks: [sample(10_000, 5, 1), sample(12_000, 1, 11_000)],
    expect: { cpu: 1e9, windowMs: 1_000, at: 12_000 },
  },
  { name: "a counter that falls has begun anew", looks: [sample(10_000, 5), sample(12_000, 1)], expect: undefined },
  { name: "what is gone is forgotten", looks: [sample(10_000, 5), sample(12_000, 6), undefined], expect: undefined },
];
for (const { name, looks, expect } of cases) test(name, () => assert.deepEqual(measured(...looks), expect));

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
