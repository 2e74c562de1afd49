/** What is too large for the API or for etcd has the answer that kube-apiserver on the same etcd gives, to the byte. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { after, before, suite, test } from "node:test";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";
import { type EtcdUnderTest, suiteOnEachEtcd } from "../etcd-server.ts";
import { type Server, startKubeApiserver, whyNoKubeApiserver } from "./kube-apiserver.ts";

/** Beyond etcd's own limit, beyond that of its connections, and beyond that of a body. */
const [forEtcd, forGrpc, forApi] = [1_600_000, 2_200_000, 3_500_000];
const ns = "/api/v1/namespaces/default";
const [configMaps, templates] = [`${ns}/configmaps`, `${ns}/podtemplates`];
const configMap = (name: string, size: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { a: "x".repeat(size) },
});
const containers = (size: number) => ({ spec: { containers: [{ name: "a", image: "b", args: ["x".repeat(size)] }] } });
const template = (name: string, size: number) => ({
  ...{ apiVersion: "v1", kind: "PodTemplate", metadata: { name } },
  template: { metadata: { labels: { a: "b" } }, ...containers(size) },
});

const [merge, strategic] = ["application/merge-patch+json", "application/strategic-merge-patch+json"] as const;
const jsonPatch = "application/json-patch+json";
const apply = "application/apply-patch+yaml";

interface Case {
  readonly name: string;
  readonly call: string;
  readonly body: object;
  readonly type?: string;
  readonly isChunked?: boolean;
  readonly status: number;
}

const cases: readonly Case[] = [
  { name: "a ConfigMap beyond its limit", call: `POST ${configMaps}`, body: configMap("new", forEtcd), status: 422 },
  { name: "an update of one", call: `PUT ${configMaps}/small`, body: configMap("small", forEtcd), status: 422 },
  { name: "a patch of one", call: `PATCH ${configMaps}/small`, body: { data: { a: "x".repeat(forEtcd) } }, type: merge, status: 422 },
  {
    name: "one that is applied",
    call: `PATCH ${configMaps}/new?fieldManager=m`,
    body: configMap("new", forEtcd),
    type: apply,
    status: 422,
  },
  { name: "an object beyond etcd's limit", call: `POST ${templates}`, body: template("new", forEtcd), status: 500 },
  { name: "an object beyond gRPC's", call: `POST ${templates}`, body: template("new", forGrpc), status: 500 },
  { name: "an update beyond etcd's limit", call: `PUT ${templates}/small`, body: template("small", forEtcd), status: 500 },
  { name: "an update beyond gRPC's", call: `PUT ${templates}/small`, body: template("small", forGrpc), status: 500 },
  {
    ...{ name: "a patch beyond etcd's limit", call: `PATCH ${templates}/small`, type: strategic, status: 500 },
    body: { template: containers(forEtcd) },
  },
  {
    ...{ name: "what is applied beyond etcd's limit", call: `PATCH ${templates}/new?fieldManager=m`, type: apply, status: 500 },
    body: template("new", forEtcd),
  },
  {
    ...{ name: "what is applied to what is there", call: `PATCH ${templates}/small?fieldManager=m&force=true`, type: apply, status: 500 },
    body: template("small", forEtcd),
  },
  { name: "a body beyond the API's limit", call: `POST ${configMaps}`, body: configMap("new", forApi), status: 413 },
  { name: "a body of unknown length", call: `POST ${configMaps}`, body: configMap("new", forApi), isChunked: true, status: 413 },
  { name: "the body of an update", call: `PUT ${configMaps}/small`, body: configMap("small", forApi), status: 413 },
  {
    ...{ name: "the body of a patch", call: `PATCH ${configMaps}/small`, type: jsonPatch, status: 413 },
    body: [{ op: "add", path: "/data/a", value: "x".repeat(forApi) }],
  },
  { name: "the body of a delete", call: `DELETE ${configMaps}/small`, body: { kind: "DeleteOptions", a: "x".repeat(forApi) }, status: 413 },
];

interface Asked {
  readonly server: string;
  readonly token: string;
}

async function ask({ server, token }: Asked, { call, body, type = "application/json", isChunked = false }: Omit<Case, "status">) {
  const [method = "", path = ""] = call.split(" ");
  const text = JSON.stringify(body);
  const length = isChunked ? {} : { "content-length": Buffer.byteLength(text) };
  const sent = request(`${server}${path}`, {
    ...{ method, agent: false, rejectUnauthorized: false },
    headers: { authorization: `Bearer ${token}`, "content-type": type, ...length },
  });
  // Whoever has refused what comes does not read it to its end.
  sent.on("error", () => undefined);
  sent.end(text);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let answer = "";
  for await (const chunk of response) answer += chunk;
  return { status: response.statusCode, type: response.headers["content-type"], body: answer };
}

/** The sizes of the two servers' own requests. */
const withoutSize = (body: string): string => body.replace(/\(\d+ vs\. 2097152\)/, "(SIZE vs. 2097152)");

suiteOnEachEtcd("what is too large beside kube-apiserver on", (startEtcd) => {
  suite("has its answers", { skip: whyNoKubeApiserver ?? false }, () => {
    let etcd: EtcdUnderTest;
    let original: Server;
    let own: CommandUnderTest;
    let asked: readonly [Asked, Asked];

    before(async () => {
      etcd = await startEtcd();
      original = await startKubeApiserver({ etcdUrl: etcd.url, media: "json" });
      own = await startCommand("--ephemeral", `--etcd-servers=${etcd.url}`);
      const server = /server: "(\S+)"/.exec(readFileSync(original.kubeconfig, "utf8"))?.[1] ?? "";
      asked = [{ server, token: "token" }, own];
      for (const { call, body } of [
        { call: `POST ${configMaps}`, body: configMap("small", 1) },
        { call: `POST ${templates}`, body: template("small", 1) },
      ])
        assert.equal((await ask(own, { name: "", call, body })).status, 201);
    });
    after(async () => {
      await original?.stop();
      await own?.stop();
      await etcd[Symbol.asyncDispose]();
    });

    for (const one of cases)
      test(one.name, async () => {
        const [theirs, ours] = await Promise.all(asked.map((server) => ask(server, one)));
        assert.equal(theirs?.status, one.status);
        assert.deepEqual({ ...ours, body: withoutSize(ours?.body ?? "") }, { ...theirs, body: withoutSize(theirs?.body ?? "") });
      });
  });
});
