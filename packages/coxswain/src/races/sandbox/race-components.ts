/** Those in a race that decide themselves what to send: the real scheduler and kubelet, and two controllers that fight. */
import { type Client, controller, done, nodes, priorityClasses, type ResourceRef, startControllers } from "@coxswain/client";
import type { AsyncDisposableStack, KubeObject } from "@coxswain/machinery";
import type { VirtualClock } from "../../testing/chance-and-time/virtual-clock.ts";
import { valueAt } from "./object-field.ts";
import { type Change, changedBy } from "./plan-request.ts";
import type { PlannedActor } from "./race-plan.ts";

export interface ComponentParts {
  /** The administrator's. */
  readonly client: Client;
  /** Of which requests that write to the object wait. */
  readonly clientOf: (actor: string, user: string) => Client;
  readonly clock: VirtualClock;
  readonly owned: AsyncDisposableStack;
}

/** A scheduler, and a node with its kubelet, which the scheduler may use at once. */
export async function startComponents({ client, clientOf, clock, owned }: ComponentParts): Promise<void> {
  const [{ createFleet, Simulation }, { createScheduler, defaultProfile }] = await Promise.all([
    import("@coxswain/kubelet"),
    import("@coxswain/scheduler"),
  ]);
  await client.resource(priorityClasses).create({ metadata: { name: "important" }, value: 1_000 });
  const kubelet = clientOf("kubelet", `system:node:${nodeName}`);
  const fleet = createFleet({ nodes: [nodeName], simulation: new Simulation({ clock, random: kubelet.random }) });
  owned.use(startControllers([fleet], { client: kubelet }));
  await during(clock, fleet.ready);
  // What the node lifecycle controller would do once the node is ready.
  await client.resource(nodes).modify(nodeName, ({ spec: { taints: _, ...spec } = {}, ...node }) => ({ ...node, spec }));
  const scheduler = createScheduler({ profiles: [defaultProfile()] });
  owned.use(startControllers([scheduler], { client: clientOf("scheduler", "system:kube-scheduler") }));
  await during(clock, scheduler.ready);
}

export const nodeName = "node-1";

/** Each can be stopped. */
export async function startFighters(
  actors: readonly PlannedActor[],
  ref: ResourceRef,
  { clientOf, clock, owned }: ComponentParts,
): Promise<ReadonlyMap<string, AsyncDisposable>> {
  const running = new Map<string, AsyncDisposable>();
  for (const { name, change } of actors) {
    if (change?.kind !== "field") continue;
    const started = startControllers([fighter(name, ref, change)], { client: clientOf(name, name) });
    let ended: Promise<void> | undefined;
    const end = (): Promise<void> => {
      ended ??= started[Symbol.asyncDispose]();
      return ended;
    };
    owned.defer(end);
    running.set(name, { [Symbol.asyncDispose]: end });
    await during(clock, started.ready);
  }
  return running;
}

/** Writes the whole object back, with the version that it has seen, unless all is well. */
const fighter = (name: string, ref: ResourceRef, change: Extract<Change, { kind: "field" }>) =>
  controller<KubeObject>({
    name,
    for: ref,
    reconcile: async (_ref, { object, client, signal }) => {
      if (object !== undefined && valueAt(object, change.path) !== change.value)
        await client.resource(ref).update(changedBy(change, object), { signal });
      return done;
    },
  });

/** Lets time pass until it has come about. @throws Error when it does not, in a minute */
async function during(clock: VirtualClock, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const finished = work.finally(() => (isDone = true));
  finished.catch(() => undefined);
  for (let turn = 0; !isDone && turn < 600; turn++) await clock.advance({ ms: 100 });
  if (!isDone) throw new Error("a component of the race did not start");
  await finished;
}
