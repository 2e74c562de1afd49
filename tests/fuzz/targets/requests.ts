/**
 * Requests to a whole server: whatever comes is answered, with an error that is a Status and not the server's fault, and changes
 * nothing. An input is a request as on the wire: a line of method and path, headers, an empty line, the body.
 */
import assert from "node:assert/strict";
import { isObject } from "@coxswain/machinery";
import { type Api, startApi } from "../../integration/api.ts";
import { type Grammar, textFrom } from "../harness/grammar.ts";
import type { FuzzTarget } from "../harness/target.ts";

const grammar: Grammar = {
  request: ["<method> <path>\n<headers>\n<body>", "<method> <path>?<query>\n<headers>\n<body>"],
  method: ["GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "X", "get"],
  path: [
    "/api/v1/namespaces/default/<core>",
    "/api/v1/namespaces/<name>/<core>/<name>",
    "/api/v1/namespaces/default/<core>/<name>/<sub>",
    "/api/v1/<core>",
    "/api/v1/watch/<core>",
    "/apis/<group>/<version>/<any>",
    "/apis/<group>/<version>/namespaces/<name>/<any>/<name>",
    "/<word>/<word>",
    "/<word>/<word>/<word>/<word>/<word>",
  ],
  core: ["configmaps", "secrets", "pods", "services", "nodes", "events", "endpoints", "namespaces", "serviceaccounts"],
  any: ["deployments", "jobs", "leases", "roles", "selfsubjectaccessreviews", "customresourcedefinitions", "flowschemas"],
  group: [
    "apps",
    "batch",
    "coordination.k8s.io",
    "rbac.authorization.k8s.io",
    "authorization.k8s.io",
    "apiextensions.k8s.io",
    "flowcontrol.apiserver.k8s.io",
  ],
  version: ["v1", "v1beta1", "v2", "v1alpha1", ""],
  name: ["known", "default", "a.b", "A", "..", "%2e%2e", "%2F", "%00", "%ff", "", "a%20b", "__proto__", "kube-system"],
  sub: ["status", "scale", "log", "exec", "eviction", "binding", "proxy", "token", "proxy/a/../b", "ephemeralcontainers", "x"],
  word: [
    "api",
    "apis",
    "v1",
    "openapi",
    "v2",
    "v3",
    "healthz",
    "readyz",
    "metrics",
    "version",
    "debug",
    "coxswain",
    "..",
    "%2e",
    "",
    "<name>",
  ],
  query: ["<parameter>", "<parameter>&<query>"],
  parameter: [
    "limit=<number>",
    "resourceVersion=<number>",
    "resourceVersionMatch=Exact",
    "labelSelector=a%3Db",
    "fieldSelector=metadata.name%3Dknown",
    "continue=<base>",
    "watch=1",
    "fieldManager=x",
    "force=true",
    "fieldValidation=Strict",
    "pretty=true",
    "gracePeriodSeconds=<number>",
    "timeoutSeconds=<number>",
    "sendInitialEvents=true",
    "%ff=%",
    "tailLines=<number>",
    "propagationPolicy=Orphan",
  ],
  number: ["0", "1", "-1", "x", "9223372036854775808", "2147483648", "1.5", ""],
  base: ["e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0", "x", "%00"],
  headers: ["", "<header>\n", "<header>\n<headers>"],
  header: [
    "accept: application/json",
    "accept: application/yaml",
    "accept: application/vnd.kubernetes.protobuf",
    "accept: application/json;as=Table;v=v1;g=meta.k8s.io",
    "accept: application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "accept: x/y",
    "content-type: application/json",
    "content-type: application/yaml",
    "content-type: application/merge-patch+json",
    "content-type: application/json-patch+json",
    "content-type: application/strategic-merge-patch+json",
    "content-type: application/apply-patch+yaml",
    "content-type: constructor",
    "impersonate-user: jane",
    "impersonate-group: a",
    "impersonate-extra-%2f: x",
    "user-agent: ",
    "accept-encoding: gzip",
    "authorization: Bearer x",
    "x-forwarded-for: 1.2.3.4",
    "range: bytes=0-1",
    "expect: 100-continue",
  ],
  body: ["", "{}", "<object>", "[]", "null", "x: [", "<patch>"],
  object: [
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"known"},"data":{"a":"b"}}',
    '{"metadata":{"name":"n","labels":{"a":"<name>"}}}',
    '{"metadata":{"generateName":"n-"},"spec":{"containers":[{"name":"a","image":"b"}]}}',
    '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"b","resources":{"limits":{"cpu":"1"}}}]}}}}',
    '{"spec":{"ports":[{"port":80}],"selector":{"a":"b"}},"metadata":{"name":"s"}}',
    '{"propagationPolicy":"Foreground","gracePeriodSeconds":0,"preconditions":{"uid":"x"}}',
    '{"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}',
  ],
  patch: [
    '{"data":{"a":null}}',
    '[{"op":"replace","path":"/data/a","value":"c"}]',
    '{"$patch":"replace"}',
    '{"metadata":{"finalizers":["a/b"],"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"y","uid":"z"}]}}',
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: known}\ndata: {a: b}",
  ],
};

export const requests: FuzzTarget = {
  name: "requests",
  modules: ["apiserver/src"],
  sample: 300,
  dictionary: [
    ...(grammar.core ?? []),
    ...(grammar.sub ?? []),
    ...(grammar.name ?? []),
    ...(grammar.header ?? []),
    "?",
    "&",
    "/",
    "\n",
    "namespaces/default",
  ],
  seeds: [
    "GET /api/v1/namespaces/default/configmaps/known\n\n",
    'POST /api/v1/namespaces/default/configmaps\ncontent-type: application/json\n\n{"metadata":{"name":"new"}}',
    "GET /api/v1/namespaces/default/configmaps?watch=1&resourceVersion=0\n\n",
    "PATCH /api/v1/namespaces/default/configmaps/known?fieldManager=x\ncontent-type: application/apply-patch+yaml\n\napiVersion: v1\nkind: ConfigMap\ndata: {a: c}",
  ],
  generate: (random) => textFrom(grammar, "request", random),
  async open() {
    const errors: unknown[] = [];
    const api = await startApi({ log: { ...silent, error: (fields) => void errors.push(fields) } });
    await api.send("POST", "/api/v1/namespaces/default/configmaps", { body: { metadata: { name: "known" }, data: { a: "b" } } });
    const before = await shown(api);
    let tried = 0;
    return {
      async judge(input) {
        errors.length = 0;
        const status = await ask(api, input).catch((error: unknown) => {
          throw new Error(String(error), { cause: errors[0] });
        });
        if (++tried % 500 === 0) assert.equal(await shown(api), before, "something has changed by a dry run or a read, among the last 500");
        return status < 400;
      },
      [Symbol.asyncDispose]: () => api.server.close(),
    };
  },
};

const nothing = (): void => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

const shown = async (api: Api): Promise<string> => (await api.send("GET", "/api/v1/namespaces/default/configmaps")).text;

async function ask(api: Api, input: string): Promise<number> {
  const [head = "", ...rest] = input.split("\n\n");
  const [line = "", ...lines] = head.split("\n");
  const [method = "", target = ""] = line.split(" ");
  const [path = "", query = ""] = target.split("?", 2);
  const sent = rest.join("\n\n");
  const body = new TextEncoder().encode(method === "DELETE" ? dryOptions(sent) : sent);
  const headers: Record<string, string> = {};
  for (const one of lines) {
    const [name = "", value = ""] = one.split(/: ?/, 2);
    if (/^[a-z-]+$/i.test(name)) headers[name.toLowerCase()] = value;
  }
  // Nothing is kept: what an input finds does not depend on those before it.
  const dry = method === "GET" || method === "HEAD" ? query : `${query.replaceAll(/dryRun/gi, "x")}&dryRun=All`;
  const request = { method, path: path.startsWith("/") ? path : `/${path}`, query: dry, headers, remoteAddress: "127.0.0.1", http1: false };
  const reply = await answered(api, api.server.handle({ ...request, clientCertificate: undefined }, body));
  const { status, contentType } = reply;
  if (reply.body.kind === "stream") return leave(reply.body);
  if (reply.body.kind === "tunnel") throw new Error("a tunnel to nowhere");
  const bytes = reply.body.kind === "bytes" ? Buffer.from(reply.body.bytes) : Buffer.concat([...reply.body.chunks]);
  const text = bytes.toString();
  assert.ok(status < 500 || isKubernetesOwn(status, text), `${status}: ${text.slice(0, 400)}`);
  if (status >= 400 && contentType.startsWith("application/json") && method !== "HEAD") {
    const { kind, code, reason, message } = JSON.parse(text);
    if (kind === "Status") assert.deepEqual([code, typeof message], [status, "string"], reason);
  }
  return status;
}

/** Where a deletion has a body, its options are that, and the query has none. */
function dryOptions(body: string): string {
  try {
    const options: unknown = JSON.parse(body);
    return isObject(options) ? JSON.stringify({ ...options, dryRun: ["All"] }) : "";
  } catch {
    return "";
  }
}

/** So many rounds of the event loop without an answer, and time goes on: a request may wait for a version that never comes. */
const rounds = 20;

async function answered<T>(api: Api, reply: Promise<T>): Promise<T> {
  let isThere = false;
  const noted = () => {
    isThere = true;
  };
  reply.then(noted, noted);
  for (let i = 1; !isThere; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (i % rounds === 0) api.clock.advance(1_000);
  }
  return reply;
}

/** Kubernetes answers some mistakes of clients with 500 too, but without a reason; one of ours is an InternalError. */
const isKubernetesOwn = (status: number, text: string): boolean => status > 500 || !text.includes('"reason":"InternalError"');

/** Starts a watch, and hangs up. */
function leave(body: { readonly start: (sink: never) => unknown }): number {
  let close = (): void => undefined;
  const sink = {
    write: () => true,
    end: () => undefined,
    abort: () => undefined,
    buffered: 0,
    closed: false,
    onClose: (fn: () => void) => {
      const before = close;
      close = () => {
        before();
        fn();
      };
    },
    drained: () => Promise.resolve(),
  };
  void body.start(sink as never);
  close();
  return 200;
}
