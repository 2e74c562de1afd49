/** An etcd with authentication, which knows its clients by the common names of their certificates. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { connectGrpc, type GrpcConnection, grpcMethods, parseProto } from "@coxswain/grpc";
import { systemClock } from "@coxswain/machinery";
import type { KeyPair } from "@coxswain/pki/node";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";
import { whyNoEtcd } from "../etcd-server.ts";
import { kubectl } from "./kube-apiserver.ts";
import { authority, clientPair, type SecuredEtcd, serverPair, startSecuredEtcd } from "./secured-etcd.ts";

const authMethods = grpcMethods(
  parseProto(`
    syntax = "proto3";
    package etcdserverpb;
    service Auth {
      rpc AuthEnable(Empty) returns (Empty);
      rpc UserAdd(UserAddRequest) returns (Empty);
      rpc UserGrantRole(UserGrantRoleRequest) returns (Empty);
      rpc RoleAdd(RoleAddRequest) returns (Empty);
      rpc RoleGrantPermission(RoleGrantPermissionRequest) returns (Empty);
      rpc RoleRevokePermission(RoleRevokePermissionRequest) returns (Empty);
    }
    message Empty {}
    message Options { bool no_password = 1; }
    message UserAddRequest { string name = 1; string password = 2; Options options = 3; }
    message UserGrantRoleRequest { string user = 1; string role = 2; }
    message RoleAddRequest { string name = 1; }
    message Permission { enum Type { READ = 0; WRITE = 1; READWRITE = 2; } Type permType = 1; bytes key = 2; bytes range_end = 3; }
    message RoleGrantPermissionRequest { string name = 1; Permission perm = 2; }
    message RoleRevokePermissionRequest { string role = 1; bytes key = 2; bytes range_end = 3; }
  `),
  "etcdserverpb.Auth",
);

suite("etcd with authentication", { skip: whyNoEtcd() ?? false }, () => {
  const ca = authority("etcd-ca");
  const folder = mkdtempSync(join(tmpdir(), "coxswain-auth-"));
  let etcd: SecuredEtcd;
  let root: GrpcConnection;
  let servers: CommandUnderTest[] = [];
  const ask = (name: string, request: object): Promise<object> => {
    const method = authMethods.get(name);
    assert.ok(method !== undefined, name);
    return root.call(method, request);
  };
  const objects = { key: Buffer.from("/registry-coxswain/"), rangeEnd: Buffer.from("/registry0") };
  const grant = async (user: string, permission: object): Promise<void> => {
    await ask("RoleGrantPermission", { name: user, perm: permission });
  };

  before(async () => {
    etcd = await startSecuredEtcd(serverPair(ca), ca);
    writeFileSync(join(folder, "ca.crt"), ca.cert);
    const tls = { ca: ca.cert, ...clientPair(ca, "root") };
    root = connectGrpc({ address: { host: "127.0.0.1", port: etcd.port, tls }, clock: systemClock });
    for (const user of ["root", "coxswain", "reader", "stranger"]) {
      await ask("UserAdd", { name: user, options: { noPassword: true } });
      await ask("RoleAdd", { name: user });
      await ask("UserGrantRole", { user, role: user });
    }
    await grant("coxswain", { permType: "READWRITE", ...objects });
    await grant("coxswain", { permType: "READWRITE", key: Buffer.from("compact_rev_key") });
    await ask("AuthEnable", {});
  });
  after(async () => {
    for (const server of servers) await server.stop();
    root[Symbol.dispose]();
    await etcd[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(pair: KeyPair): Promise<CommandUnderTest> {
    writeFileSync(join(folder, "client.crt"), pair.cert);
    writeFileSync(join(folder, "client.key"), pair.key);
    const files = [`--etcd-cafile=${folder}/ca.crt`, `--etcd-certfile=${folder}/client.crt`, `--etcd-keyfile=${folder}/client.key`];
    const server = await startCommand("--ephemeral", `--etcd-servers=${etcd.url}`, ...files);
    servers = [...servers, server];
    return server;
  }

  const health = (server: CommandUnderTest): Promise<string> =>
    kubectl(server, "get", "--raw", "/healthz/etcd").then(
      (said) => said,
      () => "failed",
    );

  const ended = (says: string) => ({ message: `coxswain ended with 1:\ncoxswain: failed to read etcd: ${says}\n` });
  for (const user of ["stranger", "unknown"])
    test(`does not let a server start that is ${user}, which says why`, () =>
      assert.rejects(start(clientPair(ca, user)), ended("etcdserver: permission denied")));

  test("does not let a server start that is nobody, which says why", () =>
    assert.rejects(startCommand("--ephemeral", `--etcd-servers=${etcd.plainUrl}`), ended("etcdserver: user name is empty")));

  test("serves a user that may read and write the keys of objects and servers, and note what is compacted", async () => {
    const server = await start(clientPair(ca, "coxswain"));
    await kubectl(server, "create", "configmap", "allowed", "-n", "default", "--from-literal=a=1");
    await kubectl(server, "patch", "configmap", "allowed", "-n", "default", "-p", '{"data":{"a":"2"}}');
    assert.equal(await kubectl(server, "get", "configmap", "allowed", "-n", "default", "-o", "jsonpath={.data.a}"), "2");
    assert.equal(await health(server), "ok");
  });

  test("answers what it does not allow any more with its own words, to requests and to who asks for the health", async () => {
    const server = await start(clientPair(ca, "coxswain"));
    await ask("RoleRevokePermission", { role: "coxswain", ...objects });
    await grant("coxswain", { permType: "READ", ...objects });
    const rejects = async (args: readonly string[], says: RegExp): Promise<void> =>
      assert.match(await kubectl(server, ...args, "-n", "default").then(() => "", String), says);
    const denied = /^Error: (?:Error from server|error: failed to create configmap): etcdserver: permission denied\n$/;
    await rejects(["create", "configmap", "denied"], denied);
    assert.match(await kubectl(server, "get", "configmaps", "-n", "default"), /allowed/);
    await ask("RoleRevokePermission", { role: "coxswain", ...objects });
    await rejects(["get", "configmaps"], denied);
    assert.equal(await health(server), "failed");
    await grant("coxswain", { permType: "READWRITE", ...objects });
    assert.equal(await health(server), "ok");
    assert.match(await kubectl(server, "create", "configmap", "denied", "-n", "default"), /created/);
  });
});
