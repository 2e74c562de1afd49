/** A whole control plane inside a test: in memory, in this process, as many as one likes. */
import { randomBytes } from "node:crypto";
import { makeServiceAccountKey, parseServiceIpRanges, type TokenUser } from "@coxswain/apiserver";
import { type Client, type ClientOptions, createClient, namespaces, ReconcileFailures, unlessNotFound } from "@coxswain/client";
import { AsyncDisposableStack, type Clock, systemClock } from "@coxswain/machinery";
import { createMemoryStore, type MemoryStore } from "@coxswain/store";
import { administrator } from "../../access/users.ts";
import { inProcessTransport } from "../../in-process/in-process-transport.ts";
import { type SeededRandom, seededRandom } from "../chance-and-time/random.ts";
import { VirtualClock } from "../chance-and-time/virtual-clock.ts";
import { faultyTransport } from "../faults/faulty-transport.ts";
import { validateOptions } from "../validation/options.ts";
import { applyYaml } from "./apply-yaml.ts";
import { runParts } from "./cluster-parts.ts";
import { ClusterRun } from "./cluster-run.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
import { recordFailuresOf } from "./failure-recordings.ts";
import { type Listening, lazyCredentials, listen } from "./listening.ts";
import { NodeConnections } from "./node-connections.ts";
import { createSnapshot, partsOfSnapshot, type SnapshotParts } from "./snapshot.ts";
import { staleAnswer } from "./stale-answer.ts";
import { type ClusterOptions, clientForOptions, clusterOptions, type TestCluster } from "./test-cluster.ts";
import type { TestUser } from "./test-user.ts";
import { waitFor } from "./wait-for.ts";
import { keepServerOf } from "./watchable-server.ts";

/** @see startCluster, which loads this */
export async function startInProcess(options: ClusterOptions): Promise<TestCluster> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await start(options));
  if (options.listen === true) await cluster.listen();
  stack.move();
  return cluster;
}

async function start(options: ClusterOptions): Promise<TestCluster> {
  await using stack = new AsyncDisposableStack();
  const parts = options.from === undefined ? undefined : partsOfSnapshot(options.from);
  const clock = options.clock ?? clockFrom(parts);
  const store = stack.use(parts?.store.open({ clock }) ?? createMemoryStore({ clock }));
  const random = serverRandom(options.seed, parts);
  const { serviceClusterIpRange = parts?.serviceClusterIpRange } = options;
  const users: Users = [administrator(undefined), ...(options.users ?? []).map(withToken)];
  const setting = {
    store,
    clock,
    random,
    credentials: lazyCredentials(),
    serviceAccountKey: parts?.serviceAccountKey ?? makeServiceAccountKey(),
    users,
    nodes: new NodeConnections(),
    ...(options.admission === undefined ? {} : { admission: options.admission }),
    ...(serviceClusterIpRange === undefined ? {} : { serviceClusterIpRange }),
  };
  const { nodes, ...given } = setting;
  const plane = await startControlPlane({ ...given, kubelets: { connect: nodes.connect } });
  stack.defer(() => plane.server.close());
  const seed = options.seed ?? 1;
  const run = new ClusterRun({ store, clock, seed }, inProcessTransport(plane.server, { user: users[0], callers: plane.callers }));
  stack.use(run);
  run.recordWhenTestFails();
  const owned = stack.move();
  let clients = 0;
  return clusterOf({
    plane,
    setting,
    run,
    chance: seededRandom(seed).named("test"),
    ofControllers: { reconcileFailures: new ReconcileFailures(), ...(options.log === undefined ? {} : { log: options.log }) },
    listen: once(() => listen(plane.server, { users, credentials: setting.credentials, owner: owned })),
    nextClient: () => ++clients,
    namespace: "default",
    owned,
  });
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Never back to where the dice were when the objects of the snapshot got their uids. */
function serverRandom(seed: number | undefined, parts: SnapshotParts | undefined): SeededRandom {
  if (parts === undefined) return seededRandom(seed ?? 1).named("server");
  return seed === undefined ? parts.random.copy() : parts.random.copy().named(`seed ${seed}`);
}

const clockFrom = (parts: SnapshotParts | undefined): Clock =>
  parts?.virtual === undefined ? systemClock : new VirtualClock({ now: parts.now, autoAdvance: parts.virtual.autoAdvance });

type Users = readonly [TokenUser, ...TokenUser[]];

const withGroups = <T extends TestUser>(user: T) => ({ groups: ["system:masters"], ...user });

const withToken = (user: TestUser): TokenUser => ({ uid: user.name, ...withGroups(user), token: randomBytes(32).toString("base64url") });

interface Parts {
  readonly plane: ControlPlane;
  readonly setting: ControlPlaneOptions & { readonly store: MemoryStore; readonly random: SeededRandom; readonly nodes: NodeConnections };
  /** For whatever is no part of the server. */
  readonly chance: SeededRandom;
  /** For the case that it is recorded. */
  readonly run: ClusterRun;
  /** What all clients have, of controllers: where they log, and where the failures of reconciles are kept. */
  readonly ofControllers: Pick<ClientOptions, "log" | "reconcileFailures">;
  readonly listen: () => Promise<Listening>;
  /** A client of its own for each of these numbers. */
  readonly nextClient: () => number;
  /** Where what names no namespace is meant to be. */
  readonly namespace: string;
  readonly owned: AsyncDisposableStack;
}

function clusterOf(parts: Parts): TestCluster {
  const { setting, run, chance, listen, namespace, owned } = parts;
  const { clock, store, random, serviceAccountKey, serviceClusterIpRange } = setting;
  const ipFamilies = parseServiceIpRanges(serviceClusterIpRange).families;
  const { transportFor, clientFor } = clientsOf(parts);
  const client = clientFor({ name: "coxswain-admin" });
  keepServerOf(client, { server: parts.plane.server, owned, onWork: (work) => trackWork(clock, work) });
  const snapshot = () =>
    createSnapshot({
      store: store.snapshot(),
      now: clock.now(),
      random: random.copy(),
      serviceAccountKey,
      serviceClusterIpRange,
      virtual: clock instanceof VirtualClock ? { autoAdvance: clock.autoAdvance } : undefined,
    });

  return {
    clock,
    random: chance,
    client,
    transport: client.transport,
    namespace,
    clientFor,
    transportFor,
    listen,
    applyYaml: (manifests, options) => applyYaml(client, manifests, options),
    waitFor: (ref, target, until, options) => waitFor(client, { ref, target, until }, options),
    object: (ref, target) => ({ client, ref, target }),
    run: async (wanted) => {
      const running = await runParts(wanted, { clientFor, nodes: setting.nodes, ipFamilies });
      // Disposed before, it is not disposed again.
      let ended: Promise<void> | undefined;
      const end = (): Promise<void> => {
        ended ??= Promise.resolve(running[Symbol.asyncDispose]());
        return ended;
      };
      owned.defer(end);
      return { explain: (space, pod) => running.explain(space, pod), [Symbol.asyncDispose]: end };
    },
    advance: async (duration) => {
      if (!(clock instanceof VirtualClock))
        throw new TypeError("only a virtual clock can be advanced: startCluster({ clock: virtualClock() })");
      await clock.advance(duration);
    },
    namespaceForTest: async () => {
      const { metadata } = await client.resource(namespaces).create({ metadata: { generateName: "test-" } });
      return inNamespace(parts, metadata?.name ?? "", client);
    },
    snapshot,
    record: (path, options) => run.record(path, options),
    fork: async (options = {}) => {
      validateOptions("fork", options, clusterOptions);
      return await startInProcess({ ...options, from: snapshot() });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The same cluster; what is begun with it ends with the namespace, or with the cluster. */
function inNamespace(parts: Parts, namespace: string, client: Client): TestCluster {
  const owned = parts.owned.use(new AsyncDisposableStack());
  owned.defer(async () => void (await unlessNotFound(client.resource(namespaces).delete(namespace), namespaces, namespace)));
  return clusterOf({ ...parts, namespace, owned });
}

function clientsOf({
  plane,
  setting,
  chance,
  run,
  ofControllers,
  nextClient,
  namespace,
  owned,
}: Parts): Pick<TestCluster, "transportFor" | "clientFor"> {
  const { clock } = setting;
  const transportFor: TestCluster["transportFor"] = (user, { faults } = {}) => {
    const known = withGroups(user);
    const direct = inProcessTransport(plane.server, { user: known, callers: plane.callers, ...workTracker(clock) });
    if (faults !== undefined) run.log.scripts.add(faults);
    const faulty = faults === undefined ? direct : faultyTransport(direct, { script: faults, clock, stale: staleAnswer(setting, known) });
    const logged = owned.use(run.log.logged(faulty, known.name));
    recordFailuresOf(logged, run);
    return logged;
  };
  const clientFor: TestCluster["clientFor"] = (user, given = {}) => {
    validateOptions("clientFor", given, clientForOptions);
    const { faults, ...options } = given;
    const transport = transportFor(user, faults === undefined ? {} : { faults });
    return owned.use(
      createClient({ transport, clock, random: chance.named(`client ${nextClient()}`), namespace, ...ofControllers, ...options }),
    );
  };
  return { transportFor, clientFor };
}

/** While the server works on a request, virtual time stands still. */
const workTracker = (clock: Clock) => (clock instanceof VirtualClock ? { onWork: (work: Promise<unknown>) => trackWork(clock, work) } : {});

function trackWork(clock: Clock, work: Promise<unknown>): void {
  if (clock instanceof VirtualClock) clock.track(work).catch(() => undefined);
}
