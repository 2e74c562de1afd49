/** What servers keep by themselves they keep together: none undoes what another does, whatever they were started with. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, test } from "node:test";
import { nameWith } from "@coxswain/pki";
import { issueCertificate } from "@coxswain/pki/node";
import { createSharedMemory, type SharedMemory } from "@coxswain/store/testing";
import { define } from "../custom-resources.ts";
import { letPass, type Server, startOn, writesAfter } from "./two-servers.ts";

const services = "/api/v1/namespaces/default/services";
const endpoints = "/api/v1/namespaces/default/endpoints/kubernetes";
const flowSchemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
const merge = "application/merge-patch+json";

/** Renewed every ten seconds for as long as a server runs. */
const isLease = (write: string): boolean => write.includes(" /registry/masterleases/");

const tls = certificate();
const running: Server[] = [];
after(async () => {
  for (const { server } of running) await server.close();
});

function certificate() {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = nameWith("test");
  const validity = { notBefore: 0, notAfter: 4_000_000_000_000, serial: new Uint8Array([1]) };
  const names = { dns: ["localhost"], email: [], uri: [], ip: [] };
  const about = { subject, issuer: { subject, ...keys }, publicKey: keys.publicKey, authority: false };
  const cert = issueCertificate({ ...about, ...validity, usages: ["server auth"], names });
  return { cert, key: keys.privateKey.export({ format: "pem", type: "pkcs8" }).toString() };
}

type Options = NonNullable<Parameters<typeof startOn>[1]>;

/** On a port of its own: that the ports of two differ is the worst case. */
async function serve(shared: SharedMemory, options: Options): Promise<Server> {
  const server = await startOn(shared, { tls, ...options });
  running.push(server);
  await server.server.listen(0, "127.0.0.1");
  return server;
}

async function atRest(shared: SharedMemory, servers: readonly Server[]): Promise<void> {
  await letPass(40, ...servers);
  const { revision } = shared;
  await letPass(120, ...servers);
  const writes = writesAfter(shared, revision);
  assert.deepEqual([...new Set(writes.filter((write) => !isLease(write)))], []);
  assert.ok(writes.length <= 13 * servers.length, `${writes.length} renewals`);
}

const pairs: readonly { readonly name: string; readonly options: readonly [Options, Options] }[] = [
  { name: "at different addresses", options: [{ advertiseAddress: "192.0.2.1" }, { advertiseAddress: "192.0.2.2" }] },
  { name: "at one address", options: [{ advertiseAddress: "192.0.2.1" }, { advertiseAddress: "192.0.2.1" }] },
  {
    name: "with different ranges of Service addresses",
    options: [{ advertiseAddress: "192.0.2.1" }, { advertiseAddress: "192.0.2.2", serviceClusterIpRange: ["10.97.0.0/16"] }],
  },
  {
    name: "of which one has a second family",
    options: [{ advertiseAddress: "192.0.2.1" }, { advertiseAddress: "192.0.2.2", serviceClusterIpRange: ["10.96.0.0/12", "fd00::/112"] }],
  },
];
for (const { name, options } of pairs)
  test(`two servers ${name} and with different ports write nothing when nothing happens`, async () => {
    const shared = createSharedMemory();
    const servers = [await serve(shared, options[0]), await serve(shared, options[1])];
    await atRest(shared, servers);
  });

test("what a client has changed is put right once, whichever server does it", async () => {
  const shared = createSharedMemory();
  const [one, two] = [await serve(shared, { advertiseAddress: "192.0.2.1" }), await serve(shared, { advertiseAddress: "192.0.2.2" })];
  const servers = [one, two] as const;
  await define(one);
  await atRest(shared, servers);
  await one.send("PATCH", `${services}/kubernetes`, { body: { spec: { ports: [{ port: 443, targetPort: 1 }] } }, type: merge });
  await one.send("PATCH", endpoints, { body: { subsets: [{ addresses: [{ ip: "192.0.2.9" }], ports: [{ port: 1 }] }] }, type: merge });
  await two.send("PATCH", `${flowSchemas}/catch-all`, { body: { spec: { matchingPrecedence: 77 } }, type: merge });
  await two.send("DELETE", "/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com");
  await atRest(shared, servers);
  const { body: service } = await two.send("GET", `${services}/kubernetes`);
  assert.ok(service.spec.ports[0].targetPort > 1);
  const { body: kept } = await one.send("GET", endpoints);
  assert.deepEqual(kept.subsets[0].addresses, [{ ip: "192.0.2.1" }, { ip: "192.0.2.2" }]);
  assert.ok(kept.subsets[0].ports[0].port > 1);
  assert.equal((await one.send("GET", `${flowSchemas}/catch-all`)).body.spec.matchingPrecedence, 10_000);
  assert.equal((await one.send("GET", "/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com")).status, 200);
});

test("what a server of another version keeps otherwise stays as that one has it", async () => {
  const shared = createSharedMemory();
  const servers = [await serve(shared, { advertiseAddress: "192.0.2.1" }), await serve(shared, { advertiseAddress: "192.0.2.2" })] as const;
  await letPass(10, ...servers);
  const other = shared.open({ clock: servers[0].clock });
  const { entry } = await other.get("/registry/flowschemas/catch-all");
  assert.ok(entry);
  const text = Buffer.from(entry.value).toString().replace('"matchingPrecedence":10000', '"matchingPrecedence":9999');
  await other.write({ op: "put", key: entry.key, value: Buffer.from(text), expect: entry.modified }, { user: "system:apiserver" });
  await atRest(shared, servers);
  assert.equal((await servers[1].send("GET", `${flowSchemas}/catch-all`)).body.spec.matchingPrecedence, 9_999);
});

test("the Service leads to the port of the server that is left", async () => {
  const shared = createSharedMemory();
  const one = await serve(shared, { advertiseAddress: "192.0.2.1" });
  const targetPort = async (): Promise<number> => (await one.send("GET", `${services}/kubernetes`)).body.spec.ports[0].targetPort;
  await letPass(3, one);
  const own = await targetPort();
  const two = await serve(shared, { advertiseAddress: "192.0.2.2" });
  await letPass(3, one, two);
  assert.notEqual(await targetPort(), own);
  const closing = two.server.close();
  await letPass(10, one, two);
  await closing;
  running.splice(running.indexOf(two), 1);
  assert.equal(await targetPort(), own);
});

test("the endpoint of a server that was killed goes, though another wrote it last", async () => {
  const shared = createSharedMemory();
  const one = await serve(shared, { advertiseAddress: "192.0.2.1" });
  const two = await serve(shared, { advertiseAddress: "192.0.2.2" });
  await letPass(10, one, two);
  const lease = await one.store.get("/registry/masterleases/192.0.2.2");
  two.store.hold();
  // As etcd does when nobody renews it.
  await one.store.write({ op: "delete", key: "/registry/masterleases/192.0.2.2", expect: lease.entry?.modified ?? (0 as never) });
  await letPass(3, one);
  assert.deepEqual((await one.send("GET", endpoints)).body.subsets[0].addresses, [{ ip: "192.0.2.1" }]);
});
