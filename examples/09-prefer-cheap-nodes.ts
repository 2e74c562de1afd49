/** A scheduler with a preference of one's own: the cheapest node that fits. And what it says when it is asked why. */
import { nodes, pods, startControllers } from "@coxswain/client";
import { createScheduler, defineScheduler, type PluginFactory, resolveScheduler } from "@coxswain/scheduler";
import { startCluster, virtualClock } from "coxswain/testing";

/** A plugin is an object with a method for each extension point at which it has something to say. Here: scores. */
const preferCheap: PluginFactory = (args) => {
  const label = String(args.label ?? "price");
  return {
    name: "PreferCheap",
    score: (_state, _pod, node) => -Number(node.labels[label] ?? 0),
    // From whatever numbers to 0 for the dearest and 100 for the cheapest.
    normalizeScore: (_state, _pod, scores) => {
      const [dearest, cheapest] = [Math.min(...scores), Math.max(...scores)];
      for (const [i, score] of scores.entries()) scores[i] = cheapest === dearest ? 0 : (100 * (score - dearest)) / (cheapest - dearest);
    },
  };
};

// The same as a file: `coxswain scheduler --config scheduler.ts`, with `export default defineScheduler({ … })`.
const config = defineScheduler({
  plugins: { PreferCheap: preferCheap },
  profiles: [
    { schedulerName: "default-scheduler" },
    {
      schedulerName: "thrifty",
      plugins: { multiPoint: { enabled: [{ name: "PreferCheap", weight: 10 }] } },
      pluginConfig: [{ name: "PreferCheap", args: { label: "example.com/price" } }],
    },
  ],
});

await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
const { client } = cluster;
for (const [name, price, cpu] of [
  ["large", "9", "16"],
  ["small", "1", "2"],
  ["medium", "3", "4"],
] as const) {
  const status = { allocatable: { cpu, memory: "8Gi", pods: "10" } };
  await client.resource(nodes).create({ metadata: { name, labels: { "example.com/price": price } }, status });
  await client.resource(nodes).modify(name, (node) => ({ ...node, spec: {} })); // it is ready: no taint any more
}

const scheduler = createScheduler({ profiles: resolveScheduler(config).profiles });
await using _ = startControllers([scheduler], { client: cluster.clientFor({ name: "system:kube-scheduler" }) });

async function run(name: string, schedulerName: string): Promise<void> {
  const containers = [{ name: "main", image: "nginx", resources: { requests: { cpu: "1" } } }];
  await client.resource(pods).create({ metadata: { name }, spec: { schedulerName, containers } });
  const { spec } = await cluster.waitFor(pods, name, (pod) => (pod.spec?.nodeName ?? "") !== "");
  console.log(`${name.padEnd(9)} by ${schedulerName.padEnd(17)} on ${spec?.nodeName}`);
}
await run("ordinary", "default-scheduler");
for (const name of ["first", "second", "third"]) await run(name, "thrifty");

console.log("\nWhy is third there?");
const [attempt] = scheduler.explain("default", "third")?.attempts ?? [];
for (const { plugin, reasons, nodes: refused } of attempt?.refusals ?? []) console.log(`  not on ${refused}: ${reasons} (${plugin})`);
for (const { node, total, plugins } of attempt?.scores ?? []) {
  const scored = plugins.filter(({ score }) => score > 0).map(({ name, score, weight }) => `${name} ${score} × ${weight}`);
  console.log(`  ${node}: ${total} = ${scored.join(" + ")}`);
}
