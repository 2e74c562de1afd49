/**
 * Writes what a real kube-scheduler thinks of generated clusters: `node tests/scheduler/scores/record.ts LOG`, where LOG is what
 * a kube-scheduler with `-v=10` and the profiles of `configuration.json` writes. COXSWAIN_TEST_KUBECONFIG names a cluster of nothing but etcd, kube-apiserver (without the
 * ServiceAccount admission plugin) and that kube-scheduler.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type Client, nodes, pods, services } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { sleep, systemClock } from "@coxswain/machinery";
import { type Case, type Outcome, type Pod, writeCases } from "./case.ts";
import { generate } from "./generate.ts";

const [log = "", count = "60"] = process.argv.slice(2);
const kubeconfig = process.env.COXSWAIN_TEST_KUBECONFIG;
if (kubeconfig === undefined || log === "") throw new Error("COXSWAIN_TEST_KUBECONFIG has to name a kubeconfig, and an argument the log");
await using client = await clientFromKubeconfig({ paths: [kubeconfig], fieldManager: "scores" });
const settle = () => sleep(systemClock, 500);

const cases: Case[] = [];
for (let seed = 1; seed <= Number(count); seed++) {
  const given = generate(seed);
  await make(client, given);
  await settle();
  const from = sizeOf(log);
  await client.resource(pods).create(given.pod);
  await settle();
  const outcome = outcomeOf(await client.resource(pods).get({ namespace: "default", name: "new" }), textFrom(log, from));
  cases.push({ ...given, outcome });
  process.stdout.write(`${seed} ${JSON.stringify(outcome).slice(0, 150)}\n`);
  await clear(client, given);
}
writeCases(cases);

async function make(client: Client, given: Omit<Case, "outcome">): Promise<void> {
  for (const node of given.nodes) {
    await client.resource(nodes).create(node);
    // The server gives every new Node a taint until its status says that it is ready.
    await client.resource(nodes).modify(node.metadata?.name ?? "", (draft) => ({ ...draft, spec: { ...node.spec } }));
  }
  for (const service of given.services) await client.resource(services).create(service);
  for (const pod of given.there) await client.resource(pods).create(pod);
}

async function clear(client: Client, given: Omit<Case, "outcome">): Promise<void> {
  await client.resource(pods, "default").deleteCollection({ gracePeriodSeconds: 0 });
  for (const { metadata } of given.services) await client.resource(services).delete({ namespace: "default", name: metadata?.name ?? "" });
  for (const { metadata } of given.nodes) await client.resource(nodes).delete(metadata?.name ?? "");
  await settle();
}

function outcomeOf({ spec, status }: Pod, text: string): Outcome {
  const scores: Record<string, Record<string, number>> = {};
  for (const [, plugin = "", node = "", score] of text.matchAll(
    /"Plugin scored node for pod" pod="default\/new" plugin="(\w+)" node="(\w+)" score=(-?\d+)/g,
  )) {
    scores[plugin] ??= {};
    scores[plugin][node] = Number(score);
  }
  if (Object.keys(scores).length > 0) return { scores };
  if (spec?.nodeName !== undefined) return { only: spec.nodeName };
  const message = status?.conditions?.find(({ type }) => type === "PodScheduled")?.message ?? "";
  return { reasons: /available: (.*?)\. (?:no new claims|preemption)/.exec(message)?.[1] ?? message };
}

function sizeOf(path: string): number {
  const file = openSync(path, "r");
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

function textFrom(path: string, from: number): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(fstatSync(file).size - from);
    readSync(file, bytes, 0, bytes.length, from);
    return bytes.toString();
  } finally {
    closeSync(file);
  }
}
