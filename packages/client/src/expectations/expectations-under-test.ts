/** For tests: a cache, and writes on behalf of an object. */
import type { KubeObject } from "@coxswain/machinery";
import type { ResourceClient } from "../contracts/client.ts";
import { createInformer } from "../informer/create-informer.ts";
import { FakeServer, type Item, items, quiet } from "../informer/fake-server.ts";
import type { Informer, InformerOptions } from "../informer/informer.ts";
import { createExpectations, type Expectations } from "./expectations.ts";

export const owner = { namespace: "default", name: "owner" };

export interface Scene {
  readonly server: FakeServer;
  readonly informer: Informer<Item>;
  readonly writes: Expectations;
  /** Writes on behalf of the owner. */
  readonly resource: ResourceClient<Item>;
  cached(name: string): Item | undefined;
  stop(): Promise<void>;
}

/** A cache that has `a` and `b`, and a server that has no more. */
export async function start(
  informerOptions: Partial<InformerOptions<Item>> = {},
  versionText: (version: number) => string = String,
): Promise<Scene> {
  const server = new FakeServer();
  server.versionText = versionText;
  server.put("a");
  server.put("b");
  const informer = createInformer(server.resource, { clock: server.clock, ...informerOptions });
  const informers = [informer as Informer<KubeObject> as Informer];
  const writes = createExpectations(server.client, { covering: ({ resource }) => (resource === "items" ? informers : []) });
  const stop = new AbortController();
  const run = informer.run(stop.signal);
  await quiet();
  server.list();
  await informer.synced;
  return {
    server,
    informer,
    writes,
    resource: writes.clientFor(owner).resource(items),
    cached: (name) => informer.lister.get({ namespace: "default", name }),
    stop: async () => {
      stop.abort();
      await run;
      if (server.clock.waiting > 0) throw new Error("a timer is left");
    },
  };
}
