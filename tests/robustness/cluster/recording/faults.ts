/** Does to a cluster what was planned for it, and undoes it. */
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Child } from "./child.ts";
import type { Cluster } from "./cluster.ts";
import { compactEtcd, etcdRevision, fillQuota, makeRoom } from "./etcd-api.ts";
import type { Fault } from "./fault-plan.ts";
import type { Direction, Link } from "./link.ts";

const resetEveryMs = 150;

/** When a fault really began and ended. Monotonic milliseconds. */
export interface Happened {
  readonly fault: Fault;
  readonly from: number;
  readonly to: number;
}

/** Resolves once all are undone; what was killed is started again, but need not serve yet. */
export async function inflict(faults: readonly Fault[], cluster: Cluster): Promise<readonly Happened[]> {
  const happened = faults.map(async (fault): Promise<Happened> => {
    await pause(fault.at);
    const from = performance.now();
    await inflictOne(fault, cluster);
    return { fault, from, to: performance.now() };
  });
  return await Promise.all(happened);
}

async function inflictOne(fault: Fault, cluster: Cluster): Promise<void> {
  switch (fault.kind) {
    case "kill server":
    case "kill etcd": {
      const process = processOf(cluster, fault.process);
      await process.kill();
      await pause(fault.forMs);
      if (!process.isRunning) process.spawn();
      return;
    }
    case "freeze server":
    case "freeze etcd": {
      const process = processOf(cluster, fault.process);
      process.pause();
      await pause(fault.forMs);
      process.resume();
      return;
    }
    case "cut": {
      const cut = linksOf(cluster, fault.link);
      using stack = new DisposableStack();
      for (const link of cut) stack.use(link.block({ direction: fault.direction }));
      await pause(fault.forMs);
      if (fault.endsBy === "reset") for (const link of cut) link.destroyConnections();
      return;
    }
    case "partition": {
      using _ = partition(cluster, fault.member, fault.direction);
      await pause(fault.forMs);
      return;
    }
    case "delay": {
      using stack = new DisposableStack();
      for (const link of linksOf(cluster, fault.link)) stack.use(link.delay({ direction: "both", delayMs: fault.delayMs }));
      await pause(fault.forMs);
      return;
    }
    case "reset":
      for (const end = performance.now() + fault.forMs; performance.now() < end; await pause(resetEveryMs))
        for (const link of linksOf(cluster, fault.link)) link.reset(fault.afterBytes);
      return;
    case "compact":
      await compactNow(cluster);
      return;
    case "fill disk":
      return await fillDisk(cluster, fault.forMs);
    case "fill quota": {
      const urls = cluster.members.map(({ url }) => url);
      await fillQuota(urls[0] ?? "");
      await pause(fault.forMs);
      await retried(() => makeRoom(urls));
      return;
    }
    case "clock step": {
      const server = cluster.servers.find(({ name }) => name === fault.server);
      server?.setClock(fault.offsetMs);
      await pause(fault.forMs);
      server?.setClock(0);
      return;
    }
  }
}

function partition({ members, links }: Cluster, name: string, direction: Direction): Disposable {
  const stack = new DisposableStack();
  for (const [i, peers] of links.peers.entries()) {
    const target = members[i];
    // A link leads to its member; what the member itself sends goes through the others' links.
    if (target?.name === name) stack.use(peers.block({ direction }));
    else {
      const client = members.find((member) => member.name === name)?.id ?? "";
      const reversed = direction === "both" ? "both" : direction === "to" ? "from" : "to";
      stack.use(peers.block({ direction: reversed, client }));
    }
  }
  return stack;
}

/** Until the file system takes no more. */
async function fillDisk({ disk = "" }: Cluster, forMs: number): Promise<void> {
  const file = join(disk, "filler");
  const piece = Buffer.alloc(65_536, "x");
  const filler = await open(file, "w");
  try {
    for (;;) await filler.write(piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    await pause(forMs);
  } finally {
    await filler.close();
    await rm(file, { force: true });
  }
}

/** Other faults may be in the way for a while. */
async function retried(fn: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return await fn();
    } catch (error) {
      if (attempt === 100) throw error;
      await pause(100);
    }
}

/** Where no member can be asked, nothing happens. */
async function compactNow({ members }: Cluster): Promise<void> {
  for (const { url } of members)
    try {
      return await compactEtcd(url, await etcdRevision(url));
    } catch {
      // It is down, or cut off, or another compaction was faster: the next may do it.
    }
}

function processOf({ servers, members }: Cluster, name: string): Child {
  const found = [...servers, ...members].find((one) => one.name === name);
  if (found === undefined) throw new Error(`no process ${name}`);
  return found.process;
}

function linksOf({ servers, links }: Cluster, name: string): readonly Link[] {
  const all = [...servers.map(({ link }) => link), ...links.toEtcd, ...links.peers];
  const found = all.filter((link) => link.name === name || link.name.startsWith(`${name}-`));
  if (found.length === 0) throw new Error(`no link ${name}`);
  return found;
}
