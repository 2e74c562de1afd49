/** Logs of containers, through the API server and the kubelet. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { podLogs } from "@coxswain/client";
import { line, type NodeUnderTest, startNode } from "./start-node.ts";

let node: NodeUnderTest;
before(async () => {
  node = await startNode();
});
after(() => node[Symbol.asyncDispose]());

async function logs(query: string): Promise<{ status: number; text: string }> {
  const path = `/api/v1/namespaces/default/pods/web/log?${query}`;
  const answer = await node.client.transport.send({ method: "GET", path, headers: {} });
  const text = Buffer.from(await answer.bytes()).toString();
  return { status: answer.status, text: answer.status === 200 ? text : JSON.parse(text).message };
}

const main = "container=main";
const cases = [
  { query: main, text: "one\ntwo\nthree\n" },
  {
    query: `${main}&timestamps=true`,
    text: "2026-01-02T03:04:01.500000000Z one\n2026-01-02T03:04:02.500000000Z two\n2026-01-02T03:04:03.500000000Z three\n",
  },
  { query: `${main}&tailLines=2`, text: "three\n" },
  { query: `${main}&tailLines=0`, text: "" },
  { query: `${main}&limitBytes=5`, text: "one\nt" },
  { query: `${main}&limitBytes=4`, text: "one\n" },
  { query: `${main}&sinceTime=2026-01-02T03:04:02Z`, text: "two\nthree\n" },
  { query: `${main}&sinceSeconds=1`, text: "" },
  { query: `${main}&stream=Stderr`, text: "two\n" },
  { query: `${main}&stream=Stdout`, text: "one\nthree\n" },
  { query: `${main}&previous=true`, text: "before\n" },
  { query: "container=side", status: 400, text: 'container "side" in pod "web" is waiting to start: ContainerCreating' },
  { query: "container=side&previous=true", status: 400, text: 'previous terminated container "side" in pod "web" not found' },
];
for (const { query, text, status = 200 } of cases) {
  test(`?${query}`, async () => assert.deepEqual(await logs(query), { status, text }));
}

test("what is followed comes as it is written, and ends with the client", async () => {
  node.script.logs.set("c1", [line(1, "one")]);
  const stop = new AbortController();
  const lines = podLogs(node.client, "web", { container: "main", follow: true, signal: stop.signal });
  assert.equal((await lines.next()).value, "one");
  node.script.logs.set("c1", [line(1, "one"), line(2, "later")]);
  assert.equal((await lines.next()).value, "later");
  stop.abort(new Error("enough"));
  await assert.rejects(async () => {
    for await (const _ of lines);
  }, /enough/);
});

test("a log that is gone", async () => {
  node.script.logs.delete("c1");
  assert.deepEqual(await logs(main), { status: 400, text: 'failed to open log file "/var/log/c1": no such file or directory' });
});
