import assert from "node:assert/strict";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import { evictionMessage, inOrderOfEviction, type PodUsage } from "./victims.ts";

const Mi = 1024 ** 2;

interface Used {
  readonly memory?: number;
  readonly storage?: number;
}

/** A Pod whose container `main` asks for 100Mi, with whatever else. */
const usage = (name: string, used: Readonly<Record<string, Used>>, spec: Partial<coreV1.PodSpec> = {}): PodUsage => ({
  pod: { metadata: { name, uid: name }, spec: { containers: [{ name: "main", resources: { requests: { memory: "100Mi" } } }], ...spec } },
  containers: Object.entries(used).map(([container, { memory = 0, storage = 0 }]) => ({ name: container, memory, storage })),
  volumes: new Map(),
});

const sidecar = (memory: string) => ({
  initContainers: [{ name: "side", restartPolicy: "Always", resources: { requests: { memory } } }],
});

const memory = { signal: "memory.available", available: 10 * Mi, least: 100 * Mi } as const;
const pids = { signal: "pid.available", available: 10_240, least: 20_480 } as const;
const inodes = { signal: "nodefs.inodesFree", available: 10_240, least: 20_480 } as const;
const order = (usages: readonly PodUsage[], shortage: Parameters<typeof inOrderOfEviction>[1]) =>
  inOrderOfEviction(usages, shortage).map(({ pod }) => pod.metadata?.name);

test("what sidecars ask for counts as what they use does", () => {
  const modest = usage("modest", { main: { memory: 90 * Mi }, side: { memory: 90 * Mi } }, { ...sidecar("100Mi"), priority: 0 });
  const large = usage("large", { main: { memory: 110 * Mi } }, { priority: 10 });
  assert.deepEqual(order([modest, large], memory), ["large", "modest"]);
});

test("where processes are short, importance alone decides", () => {
  const full = usage("full", { main: { storage: 500 * Mi } }, { priority: 10 });
  const empty = usage("empty", { main: {} }, { priority: 1 });
  assert.deepEqual(order([full, empty], pids), ["empty", "full"]);
});

const low = (resource: string, least: string, available: string) =>
  `The node was low on resource: ${resource}. Threshold quantity: ${least}, available: ${available}. `;
const messages = [
  {
    name: "containers that use more than they ask for, sidecars too",
    about: usage("p", { main: { memory: 110 * Mi }, side: { memory: 60 * Mi }, debug: { memory: Mi } }, sidecar("50Mi")),
    shortage: memory,
    says:
      `${low("memory", "100Mi", "10Mi")}Container main was using 110Mi, request is 100Mi, has larger consumption of memory. ` +
      "Container side was using 60Mi, request is 50Mi, has larger consumption of memory. ",
  },
  {
    name: "a Pod with resources of its own",
    about: usage("p", { main: { memory: 90 * Mi } }, { resources: { requests: { memory: "200Mi" } } }),
    shortage: memory,
    says: `${low("memory", "100Mi", "10Mi")}Pod p was using 90Mi, request is 200Mi, has larger consumption of memory. `,
  },
  {
    name: "no container where inodes are short",
    about: usage("p", { main: { storage: Mi } }),
    shortage: inodes,
    says: /^The node was low on resource: inodes\. Threshold quantity: 20480, available: 10240\. $/,
  },
  {
    name: "no container where processes are short",
    about: usage("p", { main: { storage: Mi } }),
    shortage: pids,
    says: /^The node was low on resource: pids\. Threshold quantity: 20480, available: 10240\. $/,
  },
];
for (const { name, about, shortage, says } of messages)
  test(`the message of a victim names ${name}`, () => {
    const message = evictionMessage(about, shortage);
    if (typeof says === "string") assert.equal(message, says);
    else assert.match(message, says);
  });
