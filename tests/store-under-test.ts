/**
 * The store that tests drive a server with: in memory, or, with `COXSWAIN_STORE=etcd`, in the etcd that `COXSWAIN_ETCD_SERVERS` names (npm test
 * starts one), each server below a prefix of its own.
 */
import { createHash, randomUUID } from "node:crypto";
import { after } from "node:test";
import { kubeApiserverValues } from "@coxswain/apiserver";
import { type Clock, systemClock, systemRandom } from "@coxswain/machinery";
import { createMemoryStore, type Store } from "@coxswain/store";
import { openEtcdStore } from "@coxswain/store/etcd";

export const isEtcd = process.env.COXSWAIN_STORE === "etcd";
const servers = process.env.COXSWAIN_ETCD_SERVERS ?? "http://127.0.0.1:2379";

const opened: Store[] = [];

// Not when the test ends that was first to want it: others of its file may share it. Its connections would keep the process.
if (isEtcd) after(() => Promise.all(opened.map((store) => store[Symbol.asyncDispose]())));

export async function storeUnderTest(clock: Clock): Promise<Store> {
  if (!isEtcd) return createMemoryStore({ clock });
  // What waits for etcd does so by a clock that goes on; when something was written is told by the test's.
  const both: Clock = { ...systemClock, now: () => clock.now() };
  const where = { servers: servers.split(","), prefix: `/test-${randomUUID()}` };
  const store = await openEtcdStore({ clock: both, random: systemRandom, transformer: kubeApiserverValues(undefined), ...where });
  opened.push(store);
  return store;
}

/** The same for the command, where it does not say itself where its state is. One data directory is one state. */
export function storeOptions(dataDir: string = randomUUID()): string[] {
  const prefix = `/test-${createHash("sha256").update(dataDir).digest("hex").slice(0, 32)}`;
  return isEtcd ? [`--etcd-servers=${servers}`, `--etcd-prefix=${prefix}`] : [];
}
