/**
 * Where objects are kept: each has a key of its own, below the prefix of its resource and namespace, and is found by the name that it
 * was made with, and by no other. An input has a write in each line: a resource, a namespace and a name, as they stand in the path.
 */
import assert from "node:assert/strict";
import { quiescence } from "@coxswain/machinery/testing";
import { type Api, startApi } from "../../integration/api.ts";
import { type Grammar, textFrom } from "../harness/grammar.ts";
import type { FuzzTarget } from "../harness/target.ts";

const grammar: Grammar = {
  writes: ["<write>", "<write>\n<write>", "<write>\n<writes>"],
  write: ["<resource> <namespace> <name>"],
  resource: ["maps", "roles", "leases", "volumes", "clusterroles", "widgets", "configmaps", "namespaces"],
  namespace: ["default", "a", "a-b", "default/a", "a%2Fb", "..", "%2e%2e", "a%00", "A", "", "configmaps"],
  name: ["<part>", "<part><part>", "<part>/<part>", "<part>%2F<part>", "<part>:<part>", "<part>%00"],
  part: [
    "a",
    "b",
    "default",
    "..",
    ".",
    "%2e",
    "-",
    "a.b",
    "A",
    "%C3%A9",
    "%ff",
    "%",
    "__proto__",
    "\u00e9",
    "\u2028",
    " ",
    "%20",
    "a%3Fb",
    "#",
    "",
  ],
};

interface Resource {
  readonly path: (namespace: string) => string;
  readonly prefix: string;
  readonly namespaced: boolean;
  /** What bodies of custom resources must have. */
  readonly head: object;
}

const headOf = (root: string): object => (root.includes("example.com") ? { apiVersion: root.slice("/apis/".length), kind: "Widget" } : {});

/** By a word of the inputs. Two customs have the names of what is built in. */
const resources: ReadonlyMap<string, Resource> = new Map(
  Object.entries({
    maps: ["/api/v1", "configmaps", "/registry/configmaps/", true],
    roles: ["/apis/rbac.authorization.k8s.io/v1", "roles", "/registry/roles/", true],
    leases: ["/apis/coordination.k8s.io/v1", "leases", "/registry/leases/", true],
    volumes: ["/apis/storage.k8s.io/v1", "storageclasses", "/registry/storageclasses/", false],
    clusterroles: ["/apis/rbac.authorization.k8s.io/v1", "clusterroles", "/registry/clusterroles/", false],
    namespaces: ["/api/v1", "namespaces", "/registry/namespaces/", false],
    widgets: ["/apis/a.example.com/v1", "widgets", "/registry/a.example.com/widgets/", true],
    configmaps: ["/apis/configmaps.example.com/v1", "default", "/registry/configmaps.example.com/default/", true],
  } as const).map(([word, [root, plural, prefix, namespaced]]) => [
    word,
    {
      prefix,
      namespaced,
      head: headOf(root),
      path: (namespace: string) => (namespaced ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`),
    },
  ]),
);

const definition = (plural: string, group: string): object => ({
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural, kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});

export const storageKeys: FuzzTarget = {
  name: "storage-keys",
  modules: ["apiserver/src/storage", "apiserver/src/request", "store/src/engine", "machinery/src/names"],
  sample: 500,
  dictionary: ["/", "%2F", "..", "%2e", "%00", ":", "default", "\n", " ", ...resources.keys()],
  seeds: ["maps default a\nmaps a default\nroles default a:b", "widgets a a\nconfigmaps a a", "namespaces x x\nvolumes x a.b"],
  generate: (random) => textFrom(grammar, "writes", random),
  async open() {
    const api = await startApi();
    for (const name of ["default", "a", "a-b"]) await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name } } });
    for (const [plural, group] of [
      ["widgets", "a.example.com"],
      ["default", "configmaps.example.com"],
    ] as const)
      assert.equal(
        (await api.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: definition(plural, group) })).status,
        201,
      );
    await quiescence({ observe: () => [api.store.revision] });
    const before = new Set(await keys(api));
    return {
      async judge(input) {
        try {
          return await tryWrites(api, input.split("\n").slice(0, 6), before);
        } finally {
          for (const { key, modified } of (await api.store.list("")).entries)
            if (!before.has(key)) await api.store.write({ op: "delete", key, expect: modified });
        }
      },
      [Symbol.asyncDispose]: () => api.server.close(),
    };
  },
};

const keys = async (api: Api): Promise<readonly string[]> => (await api.store.list("")).entries.map(({ key }) => key);

interface Made {
  readonly uid: string;
  readonly key: string;
  /** What names it in all of the API. */
  readonly identity: string;
}

async function tryWrites(api: Api, lines: readonly string[], before: ReadonlySet<string>): Promise<boolean> {
  const made: Made[] = [];
  for (const line of lines) {
    const [word = "", namespace = "", ...rest] = line.split(" ");
    const resource = resources.get(word);
    if (resource === undefined) continue;
    const name = rest.join(" ");
    const known = new Set([...before, ...made.map(({ key }) => key)]);
    const collection = resource.path(namespace.replaceAll("/", "%2F").replaceAll("?", "%3F"));
    const { status, body } = await api.send("POST", collection, { body: { ...resource.head, metadata: { name: decoded(name) } } });
    const fresh = (await keys(api)).filter((key) => !known.has(key));
    if (status !== 201) {
      assert.deepEqual(fresh, [], `${status}, and yet something is stored`);
      continue;
    }
    assert.equal(fresh.length, 1, "one object is one key");
    const [key = ""] = fresh;
    const { uid, name: given, namespace: within = "" } = body.metadata;
    assert.equal(key, `${resource.prefix}${resource.namespaced ? `${within}/` : ""}${given}`);
    assert.ok(!given.includes("/") && !within.includes("/"), "a part of the key is two");
    made.push({ uid, key, identity: JSON.stringify([word, within, given]) });
    const path = `${resource.path(encodeURIComponent(within))}/${encodeURIComponent(given)}`;
    assert.equal((await api.send("GET", path)).body.metadata?.uid, uid, "it is not found by its name");
  }
  assert.equal(new Set(made.map(({ key }) => key)).size, made.length);
  assert.equal(new Set(made.map(({ identity }) => identity)).size, made.length, "two objects have one name");
  for (const { prefix } of resources.values())
    for (const { key, identity } of made)
      if (key.startsWith(prefix))
        assert.equal(resources.get(JSON.parse(identity)[0])?.prefix, prefix, `${key} lies below another's prefix`);
  return made.length > 0;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
