/** Plays a scenario on a node, and says what the API has shown of it. */
import { type Client, events, isNotFound, pods } from "@coxswain/client";
import { type KubeObject, sleep } from "@coxswain/machinery";
import { waitFor } from "coxswain/testing";
import { Mask } from "./mask.ts";
import { type Pod, type Scenario, settleMs } from "./scenario.ts";

export interface Recording {
  /** All phases, in order. */
  readonly phases: readonly string[];
  /** At each step, and the last before the Pod was gone. */
  readonly statuses: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
}

const timeoutMs = 60_000;

export async function play(client: Client, node: string, scenario: Scenario): Promise<Recording> {
  const { name, objects = [], spec, steps } = scenario;
  const mask = new Mask();
  for (const object of objects) await create(client, object);
  const stop = new AbortController();
  const phases = ["Pending"];
  let last: Pod | undefined;
  const seen = (pod: Pod) => {
    last = pod;
    const phase = pod.status?.phase ?? "";
    if (phases.at(-1) !== phase) phases.push(phase);
  };
  const watching = follow(client, name, seen, stop.signal);
  const pod = await client.resource(pods, "default").create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { nodeName: node, terminationGracePeriodSeconds: 2, automountServiceAccountToken: false, containers: [], ...spec },
  });
  mask.name(pod.metadata?.uid, "<uid>");
  const statuses: Record<string, unknown> = {};
  for (const step of steps) {
    if ("act" in step) {
      await step.act(client, name);
      continue;
    }
    const found = await waitFor(client, { ref: pods, target: name, until: step.until }, { timeoutMs });
    if (step.atOnce !== true) await sleep(client.clock, settleMs);
    const pod = step.atOnce === true ? found : await client.resource(pods, "default").get(name);
    if (step.see !== undefined) statuses[step.see] = mask.status(pod?.status);
  }
  await client.resource(pods, "default").delete(name).catch(ignoreMissing);
  await waitFor(client, { ref: pods, target: name, until: "delete" }, { timeoutMs });
  await sleep(client.clock, settleMs);
  stop.abort();
  await watching;
  statuses.gone = mask.status(last?.status);
  for (const object of objects) await remove(client, object);
  return { phases, statuses, events: await recorded(client, pod.metadata?.uid ?? "", mask) };
}

/** Each version that there is, until the signal is aborted. */
async function follow(client: Client, name: string, seen: (pod: Pod) => void, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of client.resource(pods, "default").watch({ fieldSelector: `metadata.name=${name}`, signal })) {
      if (event.type === "LISTED") event.items.forEach(seen);
      else if (event.type !== "BOOKMARK") seen(event.object);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function recorded(client: Client, uid: string, mask: Mask): Promise<string[]> {
  const { items } = await client.resource(events, "default").list({ fieldSelector: `involvedObject.uid=${uid}` });
  // Their names end with when they were made.
  const inOrder = items.toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  return withoutChance(inOrder.map((event) => mask.event(event)));
}

/** Containers of a Pod are killed all at once. */
function withoutChance(texts: readonly string[]): string[] {
  const kills = texts.filter((text) => text.startsWith(killing)).toSorted();
  return texts.map((text) => (text.startsWith(killing) ? (kills.shift() ?? text) : text));
}

const killing = "Normal Killing: Stopping container ";

async function create(client: Client, object: KubeObject): Promise<void> {
  const { apiVersion = "", kind = "" } = object;
  await client.resource(await client.refOf({ apiVersion, kind }), "default").create(object);
}

async function remove(client: Client, { apiVersion = "", kind = "", metadata }: KubeObject): Promise<void> {
  const resource = client.resource(await client.refOf({ apiVersion, kind }), "default");
  await resource.delete(metadata?.name ?? "").catch(ignoreMissing);
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
