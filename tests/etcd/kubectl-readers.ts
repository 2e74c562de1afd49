/** What kubectl reads through the balancer while servers come and go: each of its processes is a connection, and so the next server's. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { configMaps } from "@coxswain/client";
import type { BalancedServers } from "./balanced-servers.ts";

const path = "/api/v1/namespaces/default/configmaps";

interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
}

interface List {
  readonly metadata: ListMeta;
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

const pageSize = 7;
const pageObjects = 40;

/** Reads objects of its own and those that others write page by page: what the pages say is the list at one version, as each server has it. */
export async function readPages(servers: BalancedServers, isDone: () => boolean): Promise<void> {
  const read = async (query: string): Promise<List> => JSON.parse(await servers.kubectl("get", "--raw", `${path}?${query}`));
  const namesOf = ({ items }: List): string[] => items.map(({ metadata }) => metadata.name);
  await using client = await servers.client();
  for (let i = 0; i < pageObjects; i++) await client.resource(configMaps).create({ metadata: { name: `page-${i}` } });
  while (!isDone()) {
    const first = await read(`limit=${pageSize}`);
    const { resourceVersion } = first.metadata;
    const names = namesOf(first);
    for (let next = first.metadata.continue; next; ) {
      const page = await read(`limit=${pageSize}&continue=${encodeURIComponent(next)}`);
      assert.equal(page.metadata.resourceVersion, resourceVersion);
      names.push(...namesOf(page));
      next = page.metadata.continue;
    }
    assert.deepEqual(names, namesOf(await read(`resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`)));
    assert.ok(names.length >= pageObjects, `${names.length} objects`);
  }
}

interface Followed extends AsyncDisposable {
  /** In the order in which they came. */
  of(name: string): readonly string[];
  /** How often it had to go on elsewhere. */
  readonly moves: number;
}

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string; readonly resourceVersion: string } };
}

/** Watches on behind the last version that it has seen whenever a watch ends. */
export async function followByKubectl(servers: BalancedServers): Promise<Followed> {
  const seen = new Map<string, string[]>();
  let { resourceVersion } = (JSON.parse(await servers.kubectl("get", "--raw", path)) as List).metadata;
  let child: ChildProcess | undefined;
  let [moves, isDone] = [0, false];
  const take = ({ type, object: { metadata } }: WatchEvent): void => {
    assert.notEqual(type, "ERROR");
    resourceVersion = metadata.resourceVersion;
    if (type !== "BOOKMARK") seen.set(metadata.name, [...(seen.get(metadata.name) ?? []), type]);
  };
  const follow = async (): Promise<void> => {
    for (; !isDone; moves++) {
      const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`;
      const own = spawn("kubectl", ["--kubeconfig", servers.kubeconfig, "get", "--raw", `${path}?${query}`], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      child = own;
      const exited = once(own, "exit");
      for await (const line of createInterface({ input: own.stdout })) if (!isDone) take(JSON.parse(line));
      await exited;
    }
  };
  const following = follow();
  following.catch(() => undefined);
  return {
    of: (name) => seen.get(name) ?? [],
    get moves() {
      return moves;
    },
    async [Symbol.asyncDispose]() {
      isDone = true;
      child?.kill();
      await following;
    },
  };
}
