/** A whole control plane inside a test: in memory, in this process, as many as one likes. */
import { randomBytes } from "node:crypto";
import { makeServiceAccountKey, type TokenUser } from "@coxswain/apiserver";
import { type Client, type ControllerLog, createClient, ReconcileFailures, type Transport } from "@coxswain/client";
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
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
import { type Listening, lazyCredentials, listen } from "./listening.ts";
import { NodeConnections } from "./node-connections.ts";
import { createSnapshot, partsOfSnapshot, type SnapshotParts } from "./snapshot.ts";
import { staleAnswer } from "./stale-answer.ts";
import { type ClientForOptions, type ClusterOptions, clientForOptions, clusterOptions, type TestCluster } from "./test-cluster.ts";
import type { TestUser } from "./test-user.ts";
import { waitFor } from "./wait-for.ts";

/** `await using cluster = await startCluster()`: its end closes whatever it has begun. */
export async function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  validateOptions("startCluster", options, clusterOptions);
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
  };
  const { nodes, ...given } = setting;
  const plane = await startControlPlane({ ...given, kubelets: { connect: nodes.connect } });
  stack.defer(() => plane.server.close());
  return clusterOf({ plane, setting, users, chance: seededRandom(options.seed ?? 1).named("test"), log: options.log, owned: stack.move() });
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
  readonly users: Users;
  /** For whatever is no part of the server. */
  readonly chance: SeededRandom;
  /** Of controllers. */
  readonly log: ControllerLog | undefined;
  readonly owned: AsyncDisposableStack;
}

function clusterOf({ plane, setting, users, chance, log, owned }: Parts): TestCluster {
  const ofControllers = { reconcileFailures: new ReconcileFailures(), ...(log === undefined ? {} : { log }) };
  const { clock, store, random, serviceAccountKey, credentials } = setting;
  let listening: Promise<Listening> | undefined;
  let clients = 0;

  const transportFor = (user: TestUser, { faults }: Pick<ClientForOptions, "faults"> = {}): Transport => {
    const known = withGroups(user);
    const direct = inProcessTransport(plane.server, { user: known, callers: plane.callers, ...workTracker(clock) });
    if (faults === undefined) return owned.use(direct);
    const stale = staleAnswer(setting, known);
    return owned.use(faultyTransport(direct, { script: faults, clock, stale }));
  };
  const clientFor = (user: TestUser, given: ClientForOptions = {}): Client => {
    validateOptions("clientFor", given, clientForOptions);
    const { faults, ...options } = given;
    const transport = transportFor(user, faults === undefined ? {} : { faults });
    return owned.use(createClient({ transport, clock, random: chance.named(`client ${++clients}`), ...ofControllers, ...options }));
  };
  const client = clientFor({ name: "coxswain-admin" });
  const snapshot = () =>
    createSnapshot({
      store: store.snapshot(),
      now: clock.now(),
      random: random.copy(),
      serviceAccountKey,
      virtual: clock instanceof VirtualClock ? { autoAdvance: clock.autoAdvance } : undefined,
    });

  return {
    clock,
    random: chance,
    client,
    transport: client.transport,
    clientFor,
    transportFor,
    listen: () => {
      listening ??= listen(plane.server, { users, credentials, owner: owned });
      return listening;
    },
    applyYaml: (manifests, options) => applyYaml(client, manifests, options),
    waitFor: (ref, target, until, options) => waitFor(client, { ref, target, until }, options),
    run: async (parts) => {
      const running = await runParts(parts, { clientFor, nodes: setting.nodes });
      // Disposed before, it is not disposed again.
      let ended: Promise<void> | undefined;
      const end = (): Promise<void> => {
        ended ??= Promise.resolve(running[Symbol.asyncDispose]());
        return ended;
      };
      owned.defer(end);
      return { explain: (namespace, pod) => running.explain(namespace, pod), [Symbol.asyncDispose]: end };
    },
    advance: async (duration) => {
      if (!(clock instanceof VirtualClock))
        throw new TypeError("only a virtual clock can be advanced: startCluster({ clock: virtualClock() })");
      await clock.advance(duration);
    },
    snapshot,
    fork: (options = {}) => startCluster({ ...options, from: snapshot() }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** While the server works on a request, virtual time stands still. */
const workTracker = (clock: Clock) =>
  clock instanceof VirtualClock ? { onWork: (work: Promise<unknown>) => void clock.track(work).catch(() => undefined) } : {};
