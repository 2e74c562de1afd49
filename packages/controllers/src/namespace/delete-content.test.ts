import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, configMaps, type Discovered, type DiscoveredResource, defineResource, type ResourceRef } from "@coxswain/client";
import { ManualClock, type StatusError, unknownPath } from "@coxswain/machinery";
import { deleteContent } from "./delete-content.ts";

const widgets = (version: string) => defineResource({ group: "ex.io", version, resource: "widgets", kind: "Widget", namespaced: true });
const verbs = ["list", "delete", "deletecollection"];
const discovered = (...refs: readonly ResourceRef[]): Discovered => ({
  resources: refs.map((ref): DiscoveredResource => ({ ...ref, verbs }) as unknown as DiscoveredResource),
  failed: [],
});

/** What a pass says. `discoveries` in turn, the last for ever; `missing`: where the server finds nothing. */
async function pass(discoveries: readonly Discovered[], missing: readonly string[]) {
  let asked = 0;
  const resource = ({ version, resource: name }: ResourceRef) => {
    const serve = (): StatusError | undefined => (missing.includes(`${version} ${name}`) ? unknownPath() : undefined);
    return {
      deleteCollection: async () => {
        const error = serve();
        if (error !== undefined) throw error;
      },
      pages: async function* () {
        const error = serve();
        if (error !== undefined) throw error;
        yield { items: [], resourceVersion: "1" };
      },
      list: async () => ({ items: [], resourceVersion: "1" }),
    };
  };
  const discover = async () => discoveries[Math.min(asked++, discoveries.length - 1)];
  const client = { resource, discover, clock: new ManualClock() } as unknown as Client;
  const result = await deleteContent({ client, namespace: { metadata: { name: "a" } }, signal: new AbortController().signal });
  return { failures: result.failures.map(({ message }) => message), discovery: result.discovery?.error.message };
}

const all = discovered(configMaps, widgets("v1"));
const cases = [
  { name: "all is there", discoveries: [all], missing: [], failures: [], discovery: undefined },
  {
    name: "a definition goes meanwhile, and its objects with it",
    discoveries: [all, discovered(configMaps, { ...widgets("v1"), resource: "others" })],
    missing: ["v1 widgets"],
    failures: [],
    discovery: undefined,
  },
  {
    name: "another version is served meanwhile, with all that was there",
    discoveries: [all, discovered(configMaps, widgets("v2"))],
    missing: ["v1 widgets"],
    failures: ["ex.io/v1, Resource=widgets was not found while it was emptied"],
    discovery: undefined,
  },
  {
    name: "discovery of the groups fails",
    discoveries: [discovered(configMaps)],
    missing: [],
    failures: [],
    discovery: "unable to retrieve the complete list of server APIs: not all groups are there",
  },
];
for (const { name, discoveries, missing, failures, discovery } of cases)
  test(`a pass over a Namespace: ${name}`, async () => {
    assert.deepEqual(await pass(discoveries, missing), { failures, discovery });
  });
