/** The store that tests drive a server with in their own process: in memory, or in etcd. */
import { after } from "node:test";
import { kubeApiserverValues } from "@coxswain/apiserver";
import { type Clock, systemClock, systemRandom } from "@coxswain/machinery";
import { createMemoryStore, type Store } from "@coxswain/store";
import { openEtcdStore } from "@coxswain/store/etcd";
import { etcdOptions } from "./store-options.ts";

const opened: Store[] = [];

// Not when the test ends that was first to want it: others of its file may share it. Its connections would keep the process.
after(() => Promise.all(opened.map((store) => store[Symbol.asyncDispose]())));

export async function storeUnderTest(clock: Clock): Promise<Store> {
  const etcd = etcdOptions();
  if (etcd === undefined) return createMemoryStore({ clock });
  const { servers, prefix } = etcd;
  // What waits for etcd does so by a clock that goes on; when something was written is told by the test's.
  const both: Clock = { ...systemClock, now: () => clock.now() };
  const transformer = kubeApiserverValues(undefined);
  const store = await openEtcdStore({ clock: both, random: systemRandom, transformer, servers: servers.split(","), prefix });
  opened.push(store);
  return store;
}
