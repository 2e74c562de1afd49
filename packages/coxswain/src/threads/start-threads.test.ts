import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "node:tls";
import { createServer, Metrics, parseServiceIpRanges } from "@coxswain/apiserver";
import { type Client, configMaps, createClient, nodes, unlessNotFound } from "@coxswain/client";
import { AsyncDisposableStack, systemClock, systemRandom } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { createMemoryStore } from "@coxswain/store";
import { FollowedValue } from "../access/followed-value.ts";
import { InProcessCallers } from "../in-process/in-process-callers.ts";
import { inProcessTransport } from "../in-process/in-process-transport.ts";
import { parseOptions } from "../options/cluster-options.ts";
import { lazyCredentials } from "../testing/cluster/listening.ts";
import { servingCertificate } from "../testing/cluster/serving-certificate.ts";
import { startThreads } from "./start-threads.ts";

const nodeOptions = () => {
  const { node } = parseOptions(["--runtime=simulated"], {}, "0.0.0", { print: () => undefined, printError: () => undefined });
  assert.ok(node !== undefined);
  return { ...node, nodeName: "node-1" };
};

async function servedCertificate(client: Client): Promise<Buffer> {
  const node = await client.resource(nodes).get("node-1");
  const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
  return await new Promise((resolve, reject) => {
    socket.once("secureConnect", () => {
      resolve(socket.getPeerCertificate().raw);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

test("what changes in the server's thread reaches the threads of components", async () => {
  await using stack = new AsyncDisposableStack();
  const rootDir = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  stack.defer(() => rmSync(rootDir, { recursive: true, force: true }));
  const credentials = lazyCredentials();
  const callers = new InProcessCallers();
  const server = await createServer({
    ...{ store: createMemoryStore({ clock: systemClock }), clock: systemClock, random: systemRandom, log: silent },
    authenticators: [callers.authenticator],
    authorizer: () => ({ kind: "allow", reason: "" }),
    authority: { cert: credentials.authority, key: credentials.authorityKey },
    metrics: new Metrics({ startedAt: 0 }),
    tls: credentials,
    ...{ version: "0.0.0", platform: "linux/amd64" },
  });
  stack.defer(() => server.close());
  const errors: string[] = [];
  const note = (_: object, message: string): void => void errors.push(message);
  const [first, second] = [servingCertificate("node-1"), servingCertificate("node-1")];
  const [rootCa, kubeletServing] = [new FollowedValue("first"), new FollowedValue(first)];
  const threads = stack.use(
    startThreads({
      ...{ server, callers, clock: systemClock, threads: 3, logLevel: "warn" },
      log: { ...silent, error: note },
      controllers: { choice: ["root-ca-certificate-publisher-controller"], isElected: false },
      scheduler: undefined,
      nodes: {
        ...{ options: nodeOptions(), chosen: { kind: "simulated", why: "" }, rootDir, kubeletVersion: "v1", address: "127.0.0.1" },
        ...{ ipFamilies: parseServiceIpRanges(undefined).families, masterService: undefined },
      },
      ...{ rootCa, clientAuthority: new FollowedValue(credentials.authority), kubeletServing: () => kubeletServing },
      metrics: new Metrics({ startedAt: 0 }),
    }),
  );
  const [controllers, node] = (["controllers", "nodes"] as const).map((one) => threads.threadOf(one)?.component(one));
  const transport = inProcessTransport(server, { user: { name: "admin", groups: ["system:masters"] }, callers });
  await using client = createClient({ transport, clock: systemClock, random: systemRandom });
  await waitUntil("both are healthy", async () => (await controllers?.healthy()) === true && (await node?.healthy()) === true);
  const published = async () =>
    (await unlessNotFound(client.resource(configMaps, "default").get("kube-root-ca.crt"), configMaps, "kube-root-ca.crt"))?.data?.[
      "ca.crt"
    ];
  await waitUntil("the authority is published", async () => (await published()) === "first");
  assert.ok((await servedCertificate(client)).equals(derOf(first.cert)));
  rootCa.set("second");
  kubeletServing.set(second);
  await waitUntil("the new authority is published", async () => (await published()) === "second");
  await waitUntil("the new certificate is served", async () => (await servedCertificate(client)).equals(derOf(second.cert)));
  await node?.[Symbol.asyncDispose]();
  await controllers?.[Symbol.asyncDispose]();
  assert.equal(await controllers?.healthy(), false);
  assert.deepEqual(errors, []);
});

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Of the first certificate of a chain. */
const derOf = (pem: string): Buffer => Buffer.from(/-----BEGIN CERTIFICATE-----([^-]+)/.exec(pem)?.[1] ?? "", "base64");
