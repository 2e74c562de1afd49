/** Who gets what at the port of several nodes, and for how long. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request } from "node:https";
import { type TestContext, test } from "node:test";
import { type AccessRequest, createKubeletServer, type ServedNode } from "@coxswain/kubelet";
import { ManualClock } from "@coxswain/machinery";
import { nameWith } from "@coxswain/pki";
import { dayMs, issuePair } from "@coxswain/pki/node";

/** Has the Pod of its name, and no logs of it. */
const nodeCalled = (name: string): ServedNode =>
  ({
    name,
    runtime: {},
    pods: {
      list: () => [],
      find: (_: string, pod: string) => (pod === `on-${name}` ? { pod: {}, containers: [] } : undefined),
    },
  }) as unknown as ServedNode;

async function start(t: TestContext, allowed: string) {
  const clock = new ManualClock();
  const now = clock.now();
  const caller = issuePair("self", { subject: nameWith("caller"), usage: "client auth" }, now);
  const tls = issuePair("self", { subject: nameWith("kubelet"), usage: "server auth" }, now);
  const asked: AccessRequest[] = [];
  const server = createKubeletServer({
    nodes: new Map(["a", "b"].map((name) => [name, nodeCalled(name)])),
    tls,
    clientAuthority: caller.cert,
    access: {
      allows: (_, about) => {
        asked.push(about);
        return about.node === allowed;
      },
    },
    clock,
    log: { error: () => undefined },
  });
  const { port } = await server.listen(0, "127.0.0.1");
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false, ...caller });
  t.after(async () => {
    agent.destroy();
    await server[Symbol.asyncDispose]();
  });
  const get = async (path: string, host: string): Promise<number | undefined> => {
    const sent = request({ host: "127.0.0.1", port, path, agent, headers: { host } });
    sent.end();
    const [response] = await once(sent, "response");
    response.resume();
    await once(response, "end");
    return response.statusCode;
  };
  return { clock, asked, get };
}

const logsOf = (pod: string): string => `/containerLogs/default/${pod}/c`;

test("rights on one node are none on the Pods of others, whichever node a request names", async (t) => {
  const { asked, get } = await start(t, "a");
  assert.equal(await get(logsOf("on-b"), "127.0.0.1:10250"), 403);
  assert.equal(await get(logsOf("on-b"), "b"), 403);
  assert.equal(await get(logsOf("on-b"), "a"), 404);
  assert.notEqual(await get(logsOf("on-a"), "127.0.0.1:10250"), 403);
  assert.deepEqual(
    asked.map(({ node }) => node),
    ["b", "b", "a", "a"],
  );
});

test("a certificate counts no longer than it is valid, on a connection that is older", async (t) => {
  const { clock, get } = await start(t, "a");
  assert.equal(await get("/healthz", "a"), 200);
  await clock.advance(366 * dayMs);
  assert.equal(await get("/healthz", "a"), 401);
});
