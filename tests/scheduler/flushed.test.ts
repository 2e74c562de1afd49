/** As in Kubernetes, affinity registers neither for changes of Namespaces nor for deleted Nodes: Pods that could be scheduled then wait for the flush. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, namespaces, nodes, pods, startControllers } from "@coxswain/client";
import { createScheduler, defaultProfile } from "@coxswain/scheduler";
import { startCluster, virtualClock } from "coxswain/testing";
import { addNode, pod } from "./scheduler-under-test.ts";

/** Means Pods of the app in namespaces of the team. */
const affinity = (kind: "podAffinity" | "podAntiAffinity", app: string, team: string) => ({
  [kind]: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { app } }, namespaceSelector: { matchLabels: { team } }, topologyKey: "zone" },
    ],
  },
});

const label = (client: Client, team: string) =>
  client.resource(namespaces).patch("default", { type: "merge", patch: { metadata: { labels: { team } } } });
const relabel = (client: Client) => label(client, "new");
const nodeOf = async (client: Client, name: string) => (await client.resource(pods).get(name)).spec?.nodeName;
const removeNodeOfHost = async (client: Client) => client.resource(nodes).delete((await nodeOf(client, "host")) ?? "");

const cases = [
  {
    what: "new labels of a namespace let in a Pod that is its own company",
    host: {},
    web: affinity("podAffinity", "web", "new"),
    change: relabel,
  },
  {
    what: "new labels of a namespace let in a Pod that looks for another",
    host: {},
    web: affinity("podAffinity", "host", "new"),
    change: relabel,
  },
  {
    what: "new labels of a namespace let in a Pod that shuns another",
    host: {},
    web: affinity("podAntiAffinity", "host", "old"),
    change: relabel,
  },
  {
    what: "new labels of a namespace let in a Pod that another shuns",
    host: affinity("podAntiAffinity", "web", "old"),
    web: {},
    change: relabel,
  },
  {
    what: "a node that goes lets in who shuns a Pod on it",
    host: {},
    web: affinity("podAntiAffinity", "host", "old"),
    change: removeNodeOfHost,
  },
  {
    what: "a Node is deleted with a Pod whose anti-affinity matches",
    host: affinity("podAntiAffinity", "web", "old"),
    web: {},
    change: removeNodeOfHost,
  },
];

for (const { what, host, web, change } of cases)
  test(`${what}, when that has waited for five minutes`, async () => {
    await using cluster = await startCluster({ clock: virtualClock() });
    const { client } = cluster;
    const scheduler = createScheduler({ profiles: [defaultProfile()] });
    await using _running = startControllers([scheduler], { client: cluster.clientFor({ name: "system:kube-scheduler" }) });
    await scheduler.ready;
    const attempts = () => scheduler.explain("default", "web")?.waiting?.attempts;
    await label(client, "old");
    for (const name of ["a", "b"]) await addNode(client, name, "4", { zone: "same" });
    await client.resource(pods).create(pod("host", "100m", { affinity: host }, { app: "host" }));
    await cluster.advance({ seconds: 1 });
    assert.notEqual(await nodeOf(client, "host"), undefined);
    await client.resource(pods).create(pod("web", "100m", { affinity: web }, { app: "web" }));
    await cluster.advance({ seconds: 1 });
    assert.equal(attempts(), 1);

    await change(client);
    await cluster.advance({ seconds: 285 });
    assert.equal(attempts(), 1);
    assert.equal(await nodeOf(client, "web"), undefined);
    await cluster.advance({ seconds: 60 });
    assert.notEqual(await nodeOf(client, "web"), undefined);
  });
