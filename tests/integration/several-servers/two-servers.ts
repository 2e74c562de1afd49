/** Two API servers over one state, without sockets: what one of them has seen of the other's writes is for the test to say. */
import type { ServerOptions } from "@coxswain/apiserver";
import { ManualClock } from "@coxswain/machinery";
import { createSharedMemory, type FollowingStore, type SharedMemory } from "@coxswain/store/testing";
import { type Api, startApi } from "../api.ts";

export interface Server extends Api {
  readonly store: FollowingStore;
}

export interface TwoServers {
  readonly shared: SharedMemory;
  readonly one: Server;
  readonly two: Server;
}

/** @param each options of both; a server may have its own */
export async function startTwo(each: Partial<ServerOptions> = {}, own: readonly Partial<ServerOptions>[] = []): Promise<TwoServers> {
  const shared = createSharedMemory();
  const start = async (i: number): Promise<Server> => startOn(shared, { ...each, ...own[i] });
  return { shared, one: await start(0), two: await start(1) };
}

/** One more on the same state. */
export async function startOn(shared: SharedMemory, options: Partial<ServerOptions> = {}): Promise<Server> {
  const store = shared.open({ clock: new ManualClock() });
  return { ...(await startApi({ ...options, store })), store };
}

/** What a client of the one does while the other sees nothing of it, but for what it asks for. */
export async function unseenBy<T>({ store }: Server, fn: () => Promise<T>): Promise<T> {
  store.hold();
  return await fn();
}

const turns = 60;
const stepMs = 1_000;

/** Lets time pass for all servers, second by second, with all that falls due in between. */
export async function letPass(seconds: number, ...servers: readonly Server[]): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    for (const { clock } of servers) clock.advance(stepMs);
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Who has changed what in the shared state after a revision: `USER KEY`, in order. */
export const writesAfter = ({ changes }: SharedMemory, revision: number): string[] =>
  [...changes]
    .filter((change) => change.revision > revision)
    .map(({ event, note }) => `${note?.user ?? "?"} ${event.type === "put" ? event.entry.key : event.key}`);
