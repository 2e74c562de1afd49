import assert from "node:assert/strict";
import { Agent, get } from "node:https";
import { type TestContext, test } from "node:test";
import { createKubeletServer } from "@coxswain/kubelet";
import { systemClock } from "@coxswain/machinery";
import { nameWith } from "@coxswain/pki";
import { issuePair, type KeyPair } from "@coxswain/pki/node";

const names = { dns: ["localhost"], ip: ["127.0.0.1"] };
const pair = (name: string): KeyPair => issuePair("self", { subject: nameWith(name), usage: "server auth", names }, Date.now());

interface Answer {
  readonly status: number | undefined;
  /** Of the server's certificate. */
  readonly subject: string | undefined;
  readonly localPort: number | undefined;
}

function ask(port: number, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: "/healthz", agent, rejectUnauthorized: false }, (response) => {
      const { socket } = response as unknown as { socket: import("node:tls").TLSSocket };
      const answer = { status: response.statusCode, subject: socket.getPeerX509Certificate()?.subject, localPort: socket.localPort };
      response.resume().on("end", () => resolve(answer));
    }).on("error", reject);
  });
}

async function start(t: TestContext, tls: KeyPair) {
  const server = createKubeletServer({
    nodes: new Map(),
    tls,
    clientAuthority: pair("clients").cert,
    clock: systemClock,
    log: { error: () => undefined },
  });
  t.after(() => server[Symbol.asyncDispose]());
  const { port } = await server.listen(0, "127.0.0.1");
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  return { server, port, agent };
}

test("another certificate is shown on new connections, and those that are open go on", async (t) => {
  const { server, port, agent } = await start(t, pair("first"));
  const before = await ask(port, agent);
  assert.equal(before.subject, "CN=first");
  server.setCredentials(pair("second"));
  const open = await ask(port, agent);
  assert.deepEqual([open.status, open.subject, open.localPort], [before.status, "CN=first", before.localPort]);
  const fresh = new Agent();
  assert.equal((await ask(port, fresh)).subject, "CN=second");
  server.setClientAuthority(pair("other clients").cert);
  assert.equal((await ask(port, fresh)).subject, "CN=second", "one change leaves the other as it is");
});
