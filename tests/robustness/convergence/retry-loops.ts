/** Programs that read, decide, write, and read again after a conflict (examples/02 to 04), and are restarted when they fail. */
import assert from "node:assert/strict";
import { type Client, defineResource, deployments, isConflict, type KubeObject, pods, sleep } from "@coxswain/client";
import type { Scenario, TestCluster } from "coxswain/testing";
import { createWeb, type Deployment } from "../../../examples/support/two-controllers.ts";
import { type FaultChoice, lateMs, Process } from "./fault-choice.ts";
import { type Outcome, objectsIn, sameEachTime } from "./outcome.ts";

/** Settles when its work is done. */
type Loop = (client: Client) => Promise<void>;

interface Play {
  readonly set?: (cluster: TestCluster) => Promise<unknown>;
  readonly loops: Readonly<Record<string, Loop>>;
  /** What others do meanwhile. */
  readonly meanwhile?: (cluster: TestCluster) => Promise<unknown>;
  readonly outcome: (cluster: TestCluster) => Promise<Outcome>;
}

export function loopScenario(faultChoice: FaultChoice, { set, loops, meanwhile, outcome }: Play): Scenario {
  const check = sameEachTime();
  return async ({ client, cluster }) => {
    faultChoice.begin();
    await set?.(cluster);
    const running = Object.entries(loops).map(([name, loop]) =>
      untilDone(name, loop, { faultChoice, client: client.with({ fieldManager: name }) }),
    );
    await Promise.all([...running, meanwhile?.(cluster)]);
    await sleep(cluster.clock, lateMs + 10_000);
    check(await outcome(cluster));
  };
}

async function untilDone(
  name: string,
  loop: Loop,
  { faultChoice, client }: { readonly faultChoice: FaultChoice; readonly client: Client },
): Promise<void> {
  for (let starts = 0; starts < 20; starts++) {
    const process = new Process(name, faultChoice, client.clock);
    try {
      return await loop(client.with({ transport: process.transport(client.transport) }));
    } catch {
      await sleep(client.clock, 1_000);
    }
  }
  assert.fail(`${name} has not come to an end`);
}

/** Repeats it after each conflict. */
async function level(attempt: () => Promise<boolean>): Promise<void> {
  for (let done = false; !done; ) {
    done = await attempt().catch((error: unknown) => {
      if (!isConflict(error)) throw error;
      return false;
    });
  }
}

interface Seat extends KubeObject {
  spec: { bookedBy?: string };
}
const seats = defineResource<Seat>({ group: "cinema.example", version: "v1", resource: "seats", kind: "Seat", namespaced: true });
export const seatDefinition = { files: [`${import.meta.dirname}/../../../examples/manifests/seats.yaml`] };

const book =
  (name: string): Loop =>
  (client) =>
    level(async () => {
      const { items } = await client.resource(seats).list();
      if (items.some(({ spec }) => spec.bookedBy === name)) return true;
      const free = items.find(({ spec }) => spec.bookedBy === undefined);
      assert.ok(free, "there is a free seat");
      await client.resource(seats).update({ ...free, spec: { bookedBy: name } });
      return true;
    });

/** Three couples and three seats. */
export const cinema: Play = {
  loops: { ann: book("Ann and Ben"), cleo: book("Cleo and Dan"), eve: book("Eve and Finn") },
  outcome: async ({ client }) => {
    const { items } = await client.resource(seats, "default").list();
    return { booked: items.map(({ spec }) => spec.bookedBy).sort() };
  },
};

const modify =
  (change: (web: Deployment) => Deployment): Loop =>
  async (client) =>
    void (await client.resource(deployments).modify("web", change));

/** Two operators change different fields of one object while a third writes a status every 2 ms. */
export const operators: Play = {
  set: createWeb,
  loops: {
    max: modify(({ spec, ...web }) => ({ ...web, spec: { ...spec, replicas: 5 } }) as Deployment),
    lea: modify(({ metadata, ...web }) => ({ ...web, metadata: { ...metadata, labels: { ...metadata?.labels, team: "shop" } } })),
  },
  meanwhile: async ({ client, clock }) => {
    for (let replicas = 1; replicas <= 10; replicas++) {
      await client.resource(deployments).patch("web", { type: "merge", patch: { status: { replicas } } }, { subresource: "status" });
      await sleep(clock, 2);
    }
  },
  outcome: (cluster) => objectsIn(cluster, [deployments]),
};

const schedule: Loop = (client) =>
  level(async () => {
    const { spec } = await client.resource(pods).get("web");
    if (spec?.nodeName) return true;
    const target = { apiVersion: "v1", kind: "Node", name: "node-a" };
    await client
      .resource(pods)
      .subresource("web", "binding")
      .create({ metadata: { name: "web" }, target });
    return true;
  });

const keepPod: Loop = (client) =>
  level(async () => {
    const { metadata, spec, status } = await client.resource(pods).get("web");
    if (status?.phase === "Running" && status.podIP === "10.0.0.7") return true;
    await sleep(client.clock, 20);
    if (spec?.nodeName !== "node-a") return false;
    const patch = { metadata: { resourceVersion: metadata?.resourceVersion }, status: { phase: "Running", podIP: "10.0.0.7" } };
    await client.resource(pods).patch("web", { type: "strategic", patch }, { subresource: "status" });
    return true;
  });

/** A scheduler and a kubelet, and a user who labels the Pod all the time. */
export const podWriters: Play = {
  set: ({ client }) => client.resource(pods).create({ metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "nginx" }] } }),
  loops: { scheduler: schedule, kubelet: keepPod },
  meanwhile: async ({ client, clock }) => {
    for (let i = 1; i <= 5; i++) {
      await client.resource(pods).patch("web", { type: "merge", patch: { metadata: { labels: { try: String(i) } } } });
      await sleep(clock, 10);
    }
  },
  outcome: (cluster) => objectsIn(cluster, [pods]),
};
