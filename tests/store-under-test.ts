/** The store that tests drive a server with in their own process: in memory, or in etcd. */
import { after } from "node:test";
import { kubeApiserverValues } from "@coxswain/apiserver";
import { type Clock, systemClock, systemRandom } from "@coxswain/machinery";
import { CompactedError, createMemoryStore, type Revision, type Store } from "@coxswain/store";
import { openEtcdStore } from "@coxswain/store/etcd";
import { createReplicaHost, openReplica } from "@coxswain/store/replica";
import { type EtcdUnderTestOptions, etcdOptions } from "./store-options.ts";

const opened: Store[] = [];

// Not when the test ends that was first to want it: others of its file may share it. Its connections would keep the process.
after(() => Promise.all(opened.map((store) => store[Symbol.asyncDispose]())));

/** Makes a store forget what is older than now. */
export async function forgetHistory(store: Store): Promise<void> {
  const { revision } = store;
  const isKept = (): Promise<boolean> =>
    store.get("/", { at: (revision - 1) as Revision }).then(
      () => true,
      (error) => {
        if (error instanceof CompactedError) return false;
        throw error;
      },
    );
  // Of those who share an etcd, one compacts, and the others learn that it has.
  do await store.compact(revision);
  while (await isKept());
}

export async function storeUnderTest(clock: Clock): Promise<Store> {
  const [store] = await storesUnderTest(clock, 1);
  return store as Store;
}

/** Of several servers that share a state: each its own where they can have that. */
export async function storesUnderTest(clock: Clock, count: number): Promise<readonly Store[]> {
  const etcd = etcdOptions();
  if (process.env.COXSWAIN_STORE === "replica") return openReplicas(clock, count);
  if (etcd === undefined) return new Array<Store>(count).fill(createMemoryStore({ clock }));
  return await Promise.all(Array.from({ length: count }, () => openEtcd(clock, etcd)));
}

function openReplicas(clock: Clock, count: number): readonly Store[] {
  const store = createMemoryStore({ clock });
  const host = createReplicaHost(store);
  const replicas = Array.from({ length: count }, () => openReplica(host.open().start, { clock }));
  opened.push(...replicas);
  return replicas;
}

async function openEtcd(clock: Clock, { servers, prefix }: EtcdUnderTestOptions): Promise<Store> {
  // What waits for etcd does so by a clock that goes on; when something was written is told by the test's.
  const both: Clock = { ...systemClock, now: () => clock.now() };
  const transformer = kubeApiserverValues(undefined);
  const store = await openEtcdStore({ clock: both, random: systemRandom, transformer, servers: servers.split(","), prefix });
  opened.push(store);
  return store;
}
