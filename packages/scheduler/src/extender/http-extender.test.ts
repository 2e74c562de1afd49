import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import type { ExtenderConfiguration } from "../config/document.ts";
import { newNodeInfo } from "../framework/new-node-info.ts";
import { newPodInfo } from "../framework/new-pod-info.ts";
import { snapshotOf } from "../plugins/volumes/objects-under-test.ts";
import { httpExtender, type Post } from "./http-extender.ts";

const there = { metadata: { name: "there", namespace: "default", uid: "u" }, spec: { containers: [] } };
const managedFields = [{ manager: "m" }];
const nodes = [
  newNodeInfo({ apiVersion: "v1", kind: "Node", metadata: { name: "a", managedFields } }, [there]),
  newNodeInfo({ metadata: { name: "b" } }),
];
const pod = newPodInfo({ metadata: { name: "p", namespace: "default", uid: "p" }, spec: { containers: [] } });
const { signal } = new AbortController();

/** Answers everything with this, and keeps what it was asked. */
function extenderThat(answer: unknown, more: Partial<ExtenderConfiguration> = {}, status = 200) {
  const asked: { url: string; body: unknown }[] = [];
  const post: Post = async (url, body) => {
    asked.push({ url, body: JSON.parse(body) });
    return { status, text: JSON.stringify(answer) };
  };
  const verbs = { filterVerb: "filter", prioritizeVerb: "prioritize", bindVerb: "bind", preemptVerb: "preempt", weight: 2 };
  return { asked, extender: httpExtender({ urlPrefix: "http://x/y/", ...verbs, ...more }, { clock: new ManualClock(), post }) };
}

test("filters whole Nodes", async () => {
  const { asked, extender } = extenderThat({ Nodes: { items: [{ metadata: { name: "b" } }] }, FailedNodes: { a: "too loud" } });
  const { nodes: left, failed, unresolvable } = await extender.filter(pod, nodes, signal);
  assert.deepEqual(left, [nodes[1]]);
  assert.deepEqual([[...failed], [...unresolvable]], [[["a", "too loud"]], []]);
  assert.deepEqual(asked, [
    {
      url: "http://x/y/filter",
      body: { Pod: pod.pod, Nodes: { metadata: {}, items: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }] }, NodeNames: null },
    },
  ]);
});

test("filters names, whatever the case of the fields of the answer", async () => {
  const { asked, extender } = extenderThat({ nodenames: ["b"], failedAndUnresolvableNodes: { a: "never" } }, { nodeCacheCapable: true });
  const { nodes: left, unresolvable } = await extender.filter(pod, nodes, signal);
  assert.deepEqual(left, [nodes[1]]);
  assert.deepEqual([...unresolvable], [["a", "never"]]);
  assert.deepEqual(asked[0]?.body, { Pod: pod.pod, Nodes: null, NodeNames: ["a", "b"] });
});

test("scores, and binds", async () => {
  const { extender } = extenderThat([{ Host: "a", Score: 7 }]);
  assert.deepEqual([...(await extender.prioritize(pod, nodes, signal))], [["a", 7]]);
  const binder = extenderThat({});
  await binder.extender.bind(pod, "a", signal);
  assert.deepEqual(binder.asked[0]?.body, { PodName: "p", PodNamespace: "default", PodUID: "p", Node: "a" });
});

test("chooses victims by their uids", async () => {
  const { asked, extender } = extenderThat(
    { NodeNameToMetaVictims: { a: { Pods: [{ UID: "u" }], NumPDBViolations: 1 } } },
    { nodeCacheCapable: true },
  );
  const candidates = new Map([["a", { pods: [there], violations: 0 }]]);
  const left = await extender.preempt(pod, candidates, snapshotOf(nodes), signal);
  assert.deepEqual([...left], [["a", { pods: [nodes[0]?.pods[0]?.pod], violations: 1 }]]);
  assert.deepEqual(asked[0]?.body, {
    Pod: pod.pod,
    NodeNameToVictims: null,
    NodeNameToMetaVictims: { a: { Pods: [{ UID: "u" }], NumPDBViolations: 0 } },
  });
});

const failures = [
  { name: "an error of its own", answer: { Error: "out of order" }, expect: "out of order" },
  { name: "a code", answer: {}, status: 503, expect: "failed filter with extender at URL http://x/y/filter, code 503" },
  {
    name: "a node that it was not asked about",
    answer: { NodeNames: ["z"] },
    expect: 'extender "http://x/y/" claims a filtered node "z" which is not found in the input node list',
  },
];
for (const { name, answer, status = 200, expect } of failures)
  test(`fails with ${name}`, async () => {
    const { extender } = extenderThat(answer, { nodeCacheCapable: true }, status);
    await assert.rejects(extender.filter(pod, nodes, signal), { message: expect });
  });

test("does not wait for ever", async () => {
  const clock = new ManualClock();
  const post: Post = (_url, _body, stop) => new Promise((_, reject) => stop.addEventListener("abort", () => reject(stop.reason)));
  const extender = httpExtender({ urlPrefix: "http://x", filterVerb: "f", httpTimeout: "2s" }, { clock, post });
  const asking = extender.filter(pod, nodes, signal);
  const rejects = assert.rejects(asking, {
    message: 'Post "http://x/f": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
  });
  await clock.advance(2_000);
  await rejects;
});

test("gets Pods that request its managed resources", () => {
  const { extender } = extenderThat({}, { managedResources: [{ name: "x.io/gpu" }] });
  const asking = newPodInfo({ metadata: { name: "q" }, spec: { containers: [{ name: "c", resources: { limits: { "x.io/gpu": "1" } } }] } });
  assert.deepEqual([extender.isInterested(pod), extender.isInterested(asking)], [false, true]);
});

describe("over HTTP", () => {
  const server = createServer((request, response) => {
    if (request.url === "/elsewhere/filter") return void response.writeHead(307, { location: "/huge/filter" }).end();
    response.writeHead(200);
    const chunk = Buffer.alloc(1024 * 1024, " ");
    const more = (): void => {
      while (response.write(chunk)) if (response.destroyed) return;
    };
    response.on("drain", more);
    more();
  });
  before(() => once(server.listen(0, "127.0.0.1"), "listening"));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const filterAt = (path: string) => {
    const { port } = server.address() as AddressInfo;
    const extender = httpExtender(
      { urlPrefix: `http://127.0.0.1:${port}/${path}`, filterVerb: "filter", weight: 1 },
      { clock: new ManualClock() },
    );
    return extender.filter(pod, nodes, signal);
  };
  test("an answer without end is none", () => assert.rejects(filterAt("huge"), /the answer is larger than 67108864 bytes/));
  test("an extender that sends on to another place is not followed", () =>
    assert.rejects(filterAt("elsewhere"), /unexpected redirect|redirect/));
});
