/** The form of answers: what the client accepts decides, for errors too. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, startApi } from "./api.ts";

const namespace = "/api/v1/namespaces/default";
const absent = "/api/v1/namespaces/absent";
const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
const anyProtobuf = "application/vnd.kubernetes.protobuf";
const agent = (name: string) => ({ "user-agent": name });

const isIndented = ({ text }: Answer): boolean => text.startsWith('{\n  "kind"');
const envelope = ({ text }: Answer): boolean => text.startsWith("k8s\0");

interface Form {
  readonly name: string;
  readonly accept?: string;
  readonly headers?: Record<string, string>;
  readonly query?: string;
  readonly type: string;
  readonly holds?: (answer: Answer) => boolean;
}

const errors: readonly Form[] = [
  { name: "JSON", type: "application/json", holds: (answer) => !isIndented(answer) },
  { name: "YAML", accept: "application/yaml", type: "application/yaml", holds: ({ text }) => text.includes("\ncode: 404\n") },
  { name: "protobuf where only that is accepted", accept: anyProtobuf, type: anyProtobuf, holds: envelope },
  { name: "a Status where a Table was asked for", accept: table, type: "application/json", holds: ({ body }) => body.kind === "Status" },
  {
    name: "JSON before YAML where YAML is only for Tables",
    accept: `application/yaml;as=Table;g=meta.k8s.io;v=v1,${table},*/*`,
    type: "application/json",
  },
  { name: "indented JSON for ?pretty", query: "?pretty=true", type: "application/json", holds: isIndented },
  { name: "indented JSON for curl", headers: agent("curl/8.1"), type: "application/json", holds: isIndented },
];
for (const { name, accept, headers, query = "", type, holds = () => true } of errors) {
  test(`an error is encoded as ${name}`, async () => {
    const api = await startApi();
    const answer = await api.send("GET", absent + query, {
      ...(accept === undefined ? {} : { accept }),
      ...(headers === undefined ? {} : { headers }),
    });
    assert.equal(answer.status, 404);
    assert.equal(answer.type, type);
    assert.ok(holds(answer), answer.text);
  });
}

const pretty: readonly { readonly query: string; readonly agent: string; readonly indented: boolean }[] = [
  { query: "", agent: "kubectl/v1.36", indented: false },
  { query: "", agent: "Mozilla/5.0 (X11)", indented: true },
  { query: "?pretty=1", agent: "kubectl/v1.36", indented: true },
  { query: "?pretty=false", agent: "curl/8.1", indented: false },
  { query: "?pretty=perhaps", agent: "curl/8.1", indented: false },
  { query: "?pretty=", agent: "kubectl/v1.36", indented: false },
];
for (const { query, agent: name, indented } of pretty) {
  test(`${name} with "${query}" gets ${indented ? "indented" : "compact"} JSON`, async () => {
    const api = await startApi();
    assert.equal(isIndented(await api.send("GET", namespace + query, { headers: agent(name) })), indented);
  });
}

const router = "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf";
const handler = "only the following media types are accepted: ";
const refused: readonly { readonly path: string; readonly accept: string; readonly message: string }[] = [
  { path: namespace, accept: "text/html", message: router },
  {
    path: "/api/v1/namespaces",
    accept: "text/html",
    message: `${router}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`,
  },
  {
    path: namespace,
    accept: "application/json;as=Sofa;g=meta.k8s.io;v=v1",
    message: `${handler}application/json, application/yaml, application/vnd.kubernetes.protobuf`,
  },
  {
    path: namespace,
    accept: `${anyProtobuf};as=Table;g=meta.k8s.io;v=v1`,
    message: `${handler}application/json, application/yaml, application/vnd.kubernetes.protobuf`,
  },
  {
    path: "/api/v1/namespaces?watch=1",
    accept: "application/yaml",
    message: `${handler}application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`,
  },
];
for (const { path, accept, message } of refused) {
  test(`${path} cannot be had as ${accept}`, async () => {
    const api = await startApi();
    const { status, text, type } = await api.send("GET", path, { accept });
    assert.equal(status, 406);
    const reported = type === "application/json" ? JSON.parse(text).message : text;
    assert.ok(reported.includes(type === "application/json" ? message : "only the following media types"), reported);
  });
}

const chosen: readonly { readonly accept: string; readonly type: string; readonly kind?: string }[] = [
  { accept: "", type: "application/json" },
  { accept: "application/json;q=0, text/html", type: "application/json" },
  { accept: "*/*, application/yaml", type: "application/yaml" },
  { accept: "text/html, */*;q=0.1", type: "application/json" },
  { accept: "application/json;q=0.5, application/yaml", type: "application/yaml" },
  { accept: "application/json;charset=utf-8", type: "application/json" },
  { accept: "application/json, application/vnd.kubernetes.protobuf", type: "application/json" },
  { accept: `application/json;as=Table;g=meta.k8s.io;v=v7,${table}`, type: "application/json", kind: "Table" },
];
for (const { accept, type, kind = "Namespace" } of chosen) {
  test(`"${accept}" gets ${kind} as ${type}`, async () => {
    const api = await startApi();
    const answer = await api.send("GET", namespace, { accept });
    assert.equal(answer.status, 200);
    assert.equal(answer.type, type);
    assert.ok(answer.text.includes(kind));
  });
}

const metadataForms = [
  {
    as: "PartialObjectMetadata",
    path: "configmaps",
    message: "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
  },
  {
    as: "PartialObjectMetadataList",
    path: "configmaps/m",
    message: "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)",
  },
  { as: "PartialObjectMetadata", path: "configmaps/m", message: undefined },
  { as: "PartialObjectMetadataList", path: "configmaps", message: undefined },
];
for (const { as, path, message } of metadataForms) {
  test(`${path} as ${as} is ${message === undefined ? "given" : "refused"}`, async () => {
    const api = await startApi();
    await api.send("POST", `${namespace}/configmaps`, { body: { metadata: { name: "m" } } });
    const answer = await api.send("GET", `${namespace}/${path}`, { accept: `application/json;as=${as};g=meta.k8s.io;v=v1` });
    assert.equal(answer.status, message === undefined ? 200 : 406);
    assert.equal(answer.body.kind, message === undefined ? as : "Status");
    assert.equal(answer.body.message, message);
  });
}

const nowhere = "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";
const beta = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
const notThere = [
  { path: namespace, accept: "application/*", message: /^406: Not Acceptable\n\nAvailable representations: application\/json, / },
  { path: namespace, accept: "Application/JSON", message: /^406: Not Acceptable/ },
  { path: "/version", accept: "application/yaml", message: /^406: Not Acceptable\n\nAvailable representations: application\/json$/ },
  { path: "/api/v1", accept: "application/json;as=Table;g=meta.k8s.io;v=v1", message: nowhere },
  { path: "/apis/apps", accept: "text/html", message: nowhere },
  { path: "/api", accept: "application/*", message: /^406: Not Acceptable/ },
  { path: "/apis/apps/v1", accept: "text/html", message: /^406: Not Acceptable/ },
  { path: "/apis/apps", accept: beta.replace("v2beta1", "v2"), message: nowhere },
  { path: "/apis", accept: beta, message: nowhere },
];
test("an unacceptable media type for a path that is not served gets 406", async (t) => {
  const api = await startApi();
  for (const { path, accept, message } of notThere)
    await t.test(`${path} as ${accept}`, async () => {
      const { status, text, type } = await api.send("GET", path, { accept });
      assert.equal(status, 406);
      const reported = type === "application/json" ? JSON.parse(text).message : text;
      if (typeof message === "string") assert.equal(reported, message);
      else if (type === "application/json") assert.match(reported, message);
      else assert.ok(reported.includes("406: Not Acceptable"), reported);
    });
  assert.equal((await api.send("GET", "/apis", { accept: `${beta},application/json` })).body.kind, "APIGroupList");
});

test("what is only asked has no Table", async () => {
  const api = await startApi();
  const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
  const reviews = ["/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "/apis/authentication.k8s.io/v1/selfsubjectreviews"];
  for (const path of [...reviews, `${namespace}/pods/p/eviction`, `${namespace}/pods/p/binding`, `${namespace}/serviceaccounts/a/token`]) {
    const { status, body } = await api.send("POST", path, { accept, body: {} });
    assert.deepEqual([status, body.message], [406, nowhere], path);
  }
});

test("a parameter of a body's type has a value", async () => {
  const api = await startApi();
  const post = async (type: string) =>
    (await api.send("POST", `${namespace}/configmaps?dryRun=All`, { type, body: { metadata: { name: "a" } } })).status;
  for (const type of ["application/json;charset=utf-8", "application/json; ", 'APPLICATION/JSON; a="b;c"; d=e'])
    assert.equal(await post(type), 201, type);
  for (const type of ["application/json; q", ";", "application/json; =x", 'application/json; a="b'])
    assert.equal(await post(type), 415, type);
});
