/**
 * The store that tests drive a server with: in memory, or, with `COXSWAIN_STORE=etcd`, in the etcd that `COXSWAIN_ETCD_SERVERS` names, each
 * server below a prefix of its own.
 */
import { randomUUID } from "node:crypto";
import { after } from "node:test";
import { type Clock, systemClock, systemRandom } from "@coxswain/machinery";
import { createMemoryStore, type Store } from "@coxswain/store";
import { openEtcdStore } from "@coxswain/store/etcd";

const isEtcd = process.env.COXSWAIN_STORE === "etcd";
const servers = process.env.COXSWAIN_ETCD_SERVERS ?? "http://127.0.0.1:2379";

export async function storeUnderTest(clock: Clock): Promise<Store> {
  if (!isEtcd) return createMemoryStore({ clock });
  // What waits for etcd does so by a clock that goes on; when something was written is told by the test's.
  const both: Clock = { ...systemClock, now: () => clock.now() };
  const store = await openEtcdStore({ clock: both, random: systemRandom, servers: servers.split(","), prefix: `/test-${randomUUID()}` });
  // Its connections would keep the process.
  after(() => store[Symbol.asyncDispose]());
  return store;
}

/** The same for the command, where it does not say itself where its state is. */
export const storeOptions = (): string[] => (isEtcd ? [`--etcd-servers=${servers}`, `--etcd-prefix=/test-${randomUUID()}`] : []);
