/** The server behind a cluster, for what looks at all that is written. Found by a client, which stands in for its cluster everywhere. */
import type { ApiServer } from "@coxswain/apiserver";
import type { Client } from "@coxswain/client";
import type { AsyncDisposableStack } from "@coxswain/machinery";

export interface WatchableServer {
  readonly server: Pick<ApiServer, "watchInvariants">;
  /** What ends with the cluster, or with its namespace. */
  readonly owned: AsyncDisposableStack;
  /** Virtual time stands still while this goes on. */
  readonly onWork: (work: Promise<unknown>) => void;
}

const servers = new WeakMap<Client, WatchableServer>();

export const keepServerOf = (client: Client, server: WatchableServer): void => void servers.set(client, server);

/** @throws TypeError for a client of no test's cluster */
export function serverOf({ client }: { readonly client: Client }): WatchableServer {
  const found = servers.get(client);
  if (found === undefined) throw new TypeError("this is no cluster that startCluster or useCluster has started");
  return found;
}
