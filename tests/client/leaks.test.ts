/** What has been stopped leaves nothing behind: no timer, no listener, no socket. */
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { after, test } from "node:test";
import {
  type Client,
  configMaps,
  controller,
  createClient,
  createEventRecorder,
  createExpectations,
  createInformerSet,
  done,
  isConflict,
  isNotFound,
  retryOnConflict,
  secrets,
  startControllers,
} from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { type Clock, systemClock, systemRandom, type Timer } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { startCluster } from "coxswain/testing";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";

const namespace = "default";

/** The real clock, which knows where each timer comes from that is still to fire. */
class TimerCensus implements Clock {
  readonly #waiting = new Map<object, string>();
  readonly now = systemClock.now;
  readonly monotonic = systemClock.monotonic;

  schedule(afterMs: number, fn: () => void): Timer {
    const key = {};
    this.#waiting.set(key, `${afterMs} ms ${new Error("a timer that is left").stack}`);
    const timer = systemClock.schedule(afterMs, () => {
      this.#waiting.delete(key);
      fn();
    });
    const cancel = (): void => {
      this.#waiting.delete(key);
      timer[Symbol.dispose]();
    };
    return { unref: () => timer.unref(), [Symbol.dispose]: cancel };
  }

  get waiting(): readonly string[] {
    return [...this.#waiting.values()];
  }
}

/** What keeps this process from ending, but for the server's process. */
const resources = (): readonly string[] =>
  process
    .getActiveResourcesInfo()
    .filter((name) => !["Immediate", "PipeWrap", "ProcessWrap"].includes(name))
    .toSorted();

type Connect = (clock: Clock) => Promise<Client>;

async function leavesNothing(connect: Connect, use: (client: Client, lasting: AbortSignal) => Promise<void>): Promise<void> {
  await settled();
  const clock = new TimerCensus();
  // Of the whole program, as people have them: it outlives all that is done with it.
  const { signal: lasting } = new AbortController();
  const before = resources();
  {
    await using client = await connect(clock);
    await use(client, lasting);
  }
  assert.deepEqual(clock.waiting, []);
  assert.deepEqual(getEventListeners(lasting, "abort"), []);
  await settled();
  assert.deepEqual(resources(), before);
}

/** Sockets end a few turns after they are closed, or when the other side has noticed. */
const settled = (): Promise<boolean> => waitUntil("sockets to end", () => !resources().includes("TCPSocketWrap"));

const uses: readonly { name: string; use: (client: Client, lasting: AbortSignal) => Promise<void> }[] = [
  { name: "requests that are answered, refused, read in part and given up", use: requests },
  { name: "watches that are left, stopped and given up while nothing comes", use: watches },
  { name: "informers, and waits for their sync", use: informers },
  { name: "controllers under a leader, with a recorder of events", use: controllers },
];

async function requests(client: Client, signal: AbortSignal): Promise<void> {
  const maps = client.resource(configMaps, namespace);
  const labels = { part: "requests" };
  for (const name of ["a", "b", "c"]) await maps.create({ metadata: { name, labels } }, { signal });
  await assert.rejects(maps.get("none", { signal }), isNotFound);
  for await (const _ of maps.pages({ pageSize: 1, signal })) break;
  await maps.list({ pageSize: 1, signal });
  await maps.modify("a", (draft) => void Object.assign(draft, { data: { n: "1" } }), { signal });
  await client.discover({ signal });
  const givenUp = new AbortController();
  const reading = maps.get("a", { signal: AbortSignal.any([signal, givenUp.signal]) });
  givenUp.abort();
  await assert.rejects(reading, { name: "AbortError" });
  const response = await client.request({ method: "GET", path: "/api/v1/configmaps?watch=true", headers: {}, signal });
  response.cancel();
  const stale = { metadata: { name: "b", resourceVersion: "1" } };
  const stop = new AbortController();
  const retrying = retryOnConflict(
    async (attempt) => {
      if (attempt === 2) stop.abort(new Error("enough"));
      await maps.update(stale, { signal });
    },
    { clock: client.clock, signal: stop.signal },
  );
  await assert.rejects(retrying, (error) => !isConflict(error));
  assert.deepEqual(getEventListeners(stop.signal, "abort"), []);
  await maps.deleteCollection({ labelSelector: "part=requests", signal });
}

async function watches(client: Client, signal: AbortSignal): Promise<void> {
  const maps = client.resource(configMaps, namespace);
  for await (const _ of maps.watch({ signal })) break;
  const stop = new AbortController();
  for await (const _ of maps.watch({ signal: stop.signal })) stop.abort();
  assert.deepEqual(getEventListeners(stop.signal, "abort"), []);
  const iterator = maps.watch({ signal })[Symbol.asyncIterator]();
  await iterator.next();
  const nothing = iterator.next();
  await iterator.return?.();
  assert.equal((await nothing).done, true);
}

async function informers(client: Client, signal: AbortSignal): Promise<void> {
  const set = createInformerSet(client);
  const stop = new AbortController();
  const { informer } = set.use(configMaps, { resyncMs: 60_000 });
  using subscription = informer.subscribe(() => undefined);
  const other = set.use(secrets);
  const run = set.run(AbortSignal.any([signal, stop.signal]));
  await set.synced({ signal });
  const writes = createExpectations(client, set);
  const owner = { namespace, name: "owner" };
  const mine = writes.clientFor(owner).resource(configMaps, namespace);
  await mine.create({ metadata: { name: "informed" } }, { signal });
  await mine.delete("informed", { signal });
  await writes.untilSatisfied(owner, { signal });
  other[Symbol.dispose]();
  subscription[Symbol.dispose]();
  stop.abort();
  await run;
  assert.deepEqual(getEventListeners(stop.signal, "abort"), []);
}

async function controllers(client: Client, signal: AbortSignal): Promise<void> {
  const reconciled = Promise.withResolvers<void>();
  const about = await client.resource(configMaps, namespace).create({ metadata: { name: "controlled" } }, { signal });
  const one = controller({
    name: "one",
    for: configMaps,
    owns: [secrets],
    reconcile: async (_, { events, object, failures }) => {
      if (object?.metadata?.name !== "controlled") return done;
      if (failures < 2) throw new Error("comes again with a delay");
      events.record(object, { type: "Normal", reason: "Done", message: "it is done" });
      reconciled.resolve();
      return { kind: "requeue", afterMs: 60_000 };
    },
  });
  const leaderElection = { lease: { namespace, name: "leaks" } };
  await using running = startControllers([one], { client, leaderElection });
  await reconciled.promise;
  await using recorder = createEventRecorder({ client, component: "test" });
  recorder.record(about, { type: "Normal", reason: "Recorded", message: "it is recorded" });
  await running[Symbol.asyncDispose]();
}

for (const { name, use } of uses)
  test(`in process: ${name}`, async () => {
    await using cluster = await startCluster();
    const transport = cluster.transportFor({ name: "admin" });
    await leavesNothing(async (clock) => createClient({ transport, clock, random: systemRandom }), use);
  });

let command: Promise<CommandUnderTest> | undefined;
after(async () => (await command)?.stop());
for (const { name, use } of uses)
  test(`over HTTP/2: ${name}`, async () => {
    command ??= startCommand("--ephemeral");
    const { kubeconfig } = await command;
    await leavesNothing((clock) => clientFromKubeconfig({ paths: [kubeconfig], clock }), use);
  });
