/** Several API servers in threads of one process, as the command runs them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import { type Client, configMaps, isConflict, namespaces, secrets } from "@coxswain/client";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { servingCertificate } from "coxswain/testing";
import { startCommand } from "../conformance/command-under-test.ts";
import { connect, connectAll, start, textAt } from "./server-threads.ts";

const run = promisify(execFile);
const skip = process.platform === "linux" ? false : "threads share a port on Linux";
const namespace = "default";

test("whatever server it asks, a client sees what any of them has acknowledged, also of rights and definitions", {
  skip,
  timeout: hangMs,
}, async (t) => {
  const command = await start(t, "--ephemeral", "--servers=3");
  const clients = await connectAll(t, command, 3);
  for (const [i, writer] of clients.entries()) {
    const name = `from-${i}`;
    await writer.resource(configMaps, namespace).create({ metadata: { name } });
    await Promise.all(clients.map((reader) => reader.resource(configMaps, namespace).get(name)));
    await writer.resource(namespaces).create({ metadata: { name } });
    await Promise.all(clients.map((other, j) => other.resource(configMaps, name).create({ metadata: { name: `of-${j}` } })));
  }
  const lists = await Promise.all(clients.map((client) => client.resource(configMaps).list()));
  const [first] = lists;
  for (const list of lists) assert.deepEqual(list, first);
});

test("a race that was begun at one server goes on at each other", { skip, timeout: hangMs }, async (t) => {
  const command = await start(t, "--ephemeral", "--servers=3", "--apiserver-only");
  const clients = await connectAll(t, command, 3);
  const races = "/coxswain/v1/races";
  const post = async (client: Client, path: string, body: object, headers = {}) => {
    const json = { "content-type": "application/json", ...headers };
    const answer = await client.transport.send({ method: "POST", path, headers: json, body: Buffer.from(JSON.stringify(body)) });
    return { code: answer.status, body: JSON.parse(Buffer.from(await answer.bytes()).toString()) };
  };
  for (const client of clients) {
    const { code, body } = await post(client, races, { race: "seat" });
    assert.equal(code, 201);
    for (const [i, other] of clients.entries()) {
      const step = await post(other, `${races}/${body.metadata.name}/steps?after=${i}`, { action: "ann-reads" });
      assert.deepEqual([step.code, step.body.steps.length], [200, 1]);
    }
    assert.equal((await post(client, races, { race: "seat" }, { "sec-fetch-site": "cross-site" })).code, 403);
  }
});

test("a counter that clients of all servers increment is exact, and those who lose learn to whom", { skip, timeout: hangMs }, async (t) => {
  const command = await start(t, "--ephemeral", "--servers=4");
  const clients = await connectAll(t, command, 4);
  await (clients[0] as Client).resource(configMaps, namespace).create({ metadata: { name: "counter" }, data: { n: "0" } });
  const times = 5;
  const causes: string[] = [];
  let refused = 0;
  await Promise.all(
    clients.map(async (client) => {
      for (let done = 0; done < times; ) {
        const read = await client.resource(configMaps, namespace).get("counter");
        try {
          await client.resource(configMaps, namespace).update({ ...read, data: { n: String(Number(read.data?.n) + 1) } });
          done++;
        } catch (error) {
          if (!isConflict(error)) throw error;
          refused++;
          causes.push(...(error.status.details?.causes ?? []).map(({ message = "" }) => message));
        }
      }
    }),
  );
  const { data } = await (clients[0] as Client).resource(configMaps, namespace).get("counter");
  assert.equal(data?.n, String(times * clients.length));
  assert.ok(
    causes.some((text) => text.includes("tester")),
    "a conflict names who has written",
  );
  // Whichever server is asked, it knows of those that any of them has answered.
  const lists = new Set(await Promise.all(clients.map((client) => textAt(client, "/coxswain/v1/conflicts"))));
  assert.equal(lists.size, 1);
  const { items } = JSON.parse([...lists].join()) as { readonly items: readonly { readonly at: string }[] };
  assert.equal(items.length, refused);
  assert.deepEqual(
    items.map(({ at }) => at),
    items
      .map(({ at }) => at)
      .toSorted()
      .reverse(),
  );
});

test("a server thread that ends while clients write is started again, and nothing acknowledged is lost", {
  skip,
  timeout: hangMs,
}, async (t) => {
  process.env.COXSWAIN_TEST_ENDS = "listensAt";
  process.env.NODE_OPTIONS = `--import=${new URL("./end-thread.ts", import.meta.url)}`;
  const command = await start(t, "--ephemeral", "--servers=2").finally(() => {
    delete process.env.COXSWAIN_TEST_ENDS;
    delete process.env.NODE_OPTIONS;
  });
  const clients = await connectAll(t, command, 2);
  const acknowledged: string[] = [];
  const stop = new AbortController();
  const watched = new Set<string>();
  const watching = (async () => {
    for await (const event of (clients[0] as Client).resource(configMaps, namespace).watch({ signal: stop.signal }))
      if (event.type === "ADDED") watched.add(event.object.metadata?.name ?? "");
  })();
  const writing = clients.map(async (client, i) => {
    for (let n = 0; !stop.signal.aborted; n++) {
      const name = `writer-${i}-${n}`;
      // Of one whose answer is lost nothing is known.
      await client
        .resource(configMaps, namespace)
        .create({ metadata: { name } })
        .then(
          () => acknowledged.push(name),
          () => undefined,
        );
    }
  });
  const reader = clients[0] as Client;
  const restarts = async (): Promise<number> => {
    const text = await textAt(reader, "/metrics").catch(() => "");
    return Number(/^coxswain_server_thread_restarts_total\{server="2"\} (\d+)$/m.exec(text)?.[1] ?? -1);
  };
  for (const times of [1, 2]) {
    const before = acknowledged.length;
    await waitUntil("something is written", () => acknowledged.length > before + 50);
    command.process.kill("SIGUSR2");
    await waitUntil("the thread is started again", async () => (await restarts()) === times);
    await waitUntil("all servers are well", async () => (await textAt(reader, "/readyz").catch(() => "")) === "ok");
  }
  await connectAll(t, command, 2);
  stop.abort();
  await Promise.all(writing);
  const there = new Set((await reader.resource(configMaps, namespace).list()).items.map(({ metadata }) => metadata?.name ?? ""));
  assert.deepEqual(
    acknowledged.filter((name) => !there.has(name)),
    [],
  );
  await watching.catch(() => undefined);
  assert.match(command.log(), /the test ends this thread.*restarting it"/);
});

test("one process to its users: figures, checks, an audit log of whole lines, and an end in order", {
  skip,
  timeout: hangMs,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [policy, log, profiles] = [join(folder, "policy.yaml"), join(folder, "audit.log"), join(folder, "profiles")];
  writeFileSync(
    policy,
    "{apiVersion: audit.k8s.io/v1, kind: Policy, omitStages: [RequestReceived], rules: [{level: Metadata, resources: [{resources: [secrets]}]}]}",
  );
  process.env.NODE_OPTIONS = `--cpu-prof --cpu-prof-dir=${profiles}`;
  const options = ["--servers=2", `--audit-policy-file=${policy}`, `--audit-log-path=${log}`, "--audit-log-mode=blocking-strict"];
  const command = await start(t, "--ephemeral", "--controllers=replicaset-controller", ...options).finally(
    () => delete process.env.NODE_OPTIONS,
  );
  const clients = await connectAll(t, command, 2);
  const each = 20;
  await Promise.all(
    clients.map(async (client, i) => {
      for (let n = 0; n < each; n++) await client.resource(secrets, namespace).create({ metadata: { name: `s-${i}-${n}` } });
    }),
  );
  const wanted = each * clients.length;
  for (const client of clients) {
    const metrics = await textAt(client, "/metrics");
    assert.match(metrics, new RegExp(`^apiserver_request_total\\{verb="POST".*resource="secrets".*code="201"\\} ${wanted}$`, "m"));
    for (const once of ["process_resident_memory_bytes", "kubernetes_build_info"])
      assert.equal(metrics.split(`# HELP ${once} `).length, 2, once);
    assert.match(metrics, /^kubernetes_build_info\{.*\} 1$/m);
    const checks = await textAt(client, "/readyz?verbose");
    assert.match(checks, /^\[\+\]servers-readiness ok$/m);
    assert.match(await textAt(client, "/healthz/servers"), /^ok$/);
    assert.match(
      await textAt(client, "/api/v1/componentstatuses/controller-manager"),
      /"Healthy".*"True"|"status":"True","type":"Healthy"/s,
    );
  }
  const events = readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { objectRef: { name: string } });
  assert.equal(new Set(events.map(({ objectRef }) => objectRef.name)).size, wanted);
  await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
  assert.equal(await command.stop(), 0);
  assert.doesNotMatch(command.log(), /"level":"error"/);
  const servers = readdirSync(profiles).filter((name) => readFileSync(join(profiles, name), "utf8").includes("pipeline/pipeline.ts"));
  assert.ok(servers.length >= 2, "each server is in the profile of its thread");
});

test("a port that another process has is refused, also where several threads share it", { skip, timeout: hangMs }, async (t) => {
  const command = await start(t, "--ephemeral", "--servers=2");
  const { port } = new URL(command.server);
  await assert.rejects(startCommand("--ephemeral", "--servers=2", `--port=${port}`), /port \d+ on 127\.0\.0\.1 is in use/);
});

test("kubectl finds one server", { skip, timeout: hangMs }, async (t) => {
  const command = await start(t, "--ephemeral", "--runtime=simulated", "--nodes=1", "--servers=2");
  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await run("kubectl", [`--kubeconfig=${command.kubeconfig}`, ...args]).catch((error: unknown) => Promise.reject(error))).stdout;
  if (
    await run("kubectl", ["version", "--client"]).then(
      () => false,
      () => true,
    )
  )
    return t.skip("kubectl is not installed");
  for (let i = 0; i < 6; i++) {
    await kubectl("create", "deployment", `web-${i}`, "--image=web", "--replicas=2");
    await kubectl("rollout", "status", `deployment/web-${i}`, "--timeout=60s");
    assert.match(await kubectl("logs", `deployment/web-${i}`), /.*/);
    assert.match(await kubectl("auth", "can-i", "create", "pods"), /yes/);
    await kubectl("delete", "deployment", `web-${i}`, "--wait");
    assert.doesNotMatch(await kubectl("get", "deployments", "-o", "name"), new RegExp(`web-${i}`));
  }
});

test("a certificate that is put in the place of another is served by all, and so is a token that one has made", {
  skip,
  timeout: hangMs,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const put = (): string => {
    const pair = servingCertificate("localhost");
    writeFileSync(key, pair.key);
    writeFileSync(cert, pair.cert);
    return new X509Certificate(pair.cert).fingerprint256;
  };
  const first = put();
  const files = [`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`];
  const command = await start(t, "--ephemeral", "--servers=3", "--controllers=serviceaccount-controller", ...files);
  const clients = await connectAll(t, command, 3);
  const served = async (): Promise<string> =>
    [...new Set(await Promise.all(Array.from({ length: 12 }, () => fingerprintAt(command.server))))].join();
  assert.equal(await served(), first);
  const second = put();
  await waitUntil("all servers have the new certificate", async () => (await served()) === second);
  const [client] = clients as [Client];
  const token = await waitUntil("there is an account", () => tokenOf(client).catch(() => undefined));
  for (const other of connect(t, { ...command, token }, 8)) assert.match(await textAt(other, "/api"), /APIVersions/);
});

async function tokenOf(client: Client): Promise<string> {
  const body = Buffer.from(JSON.stringify({ kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1", spec: {} }));
  const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
  const answer = await client.transport.send({ method: "POST", path, headers: { "content-type": "application/json" }, body });
  const { status } = JSON.parse(Buffer.from(await answer.bytes()).toString()) as { readonly status: { readonly token: string } };
  return status.token;
}

async function fingerprintAt(url: string): Promise<string> {
  const { port } = new URL(url);
  const socket = connectTls({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}
