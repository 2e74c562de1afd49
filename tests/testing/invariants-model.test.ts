/** Random writes by several clients at once: what is found to be the first violating version is the first by a plain model, too. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, isAlreadyExists, isConflict, isNotFound, type KubeObject } from "@coxswain/client";
import { eachVersion, startCluster, type TestCluster, virtualClock, watchInvariants } from "coxswain/testing";
import fc from "fast-check";
import { propertyRuns } from "../scope.ts";

interface Write {
  readonly name: string;
  readonly value: number;
  readonly op: "create" | "patch" | "update" | "delete";
}

interface Version {
  readonly revision: number;
  readonly name: string;
  /** Undefined: deleted. */
  readonly value: number | undefined;
}

const maxSum = 12;
const names = ["a", "b", "c"];
const writes = fc.array(
  fc.record({
    name: fc.constantFrom(...names),
    value: fc.integer({ min: 0, max: 9 }),
    op: fc.constantFrom<Write["op"]>("create", "create", "patch", "update", "delete"),
  }),
  { minLength: 1, maxLength: 40 },
);

const numberOf = (object: KubeObject & { readonly data?: Readonly<Record<string, string>> }): number | undefined =>
  object.data?.value === undefined ? undefined : Number(object.data.value);

async function perform({ client }: TestCluster, { name, value, op }: Write): Promise<void> {
  const resource = client.resource(configMaps);
  const data = { value: String(value) };
  try {
    if (op === "create") await resource.create({ metadata: { name }, data });
    else if (op === "patch") await resource.patch(name, { type: "merge", patch: { data } });
    else if (op === "update") await resource.update({ ...(await resource.get(name)), data });
    else await resource.delete(name);
  } catch (error) {
    if (!(isNotFound(error) || isAlreadyExists(error) || isConflict(error))) throw error;
  }
}

/** All that a watch from the beginning has seen: what deletions made has their revision. */
async function versionsBy(cluster: TestCluster, from: string, until: number): Promise<readonly Version[]> {
  const versions: Version[] = [];
  const ended = new AbortController();
  for await (const event of cluster.client.resource(configMaps, "default").watch({ resourceVersion: from, signal: ended.signal })) {
    if (event.type === "ADDED" || event.type === "MODIFIED" || event.type === "DELETED") {
      const { metadata } = event.object;
      const revision = Number(metadata?.resourceVersion);
      versions.push({ revision, name: metadata?.name ?? "", value: event.type === "DELETED" ? undefined : numberOf(event.object) });
      if (revision >= until) break;
    }
  }
  return versions;
}

/** The plain model: all versions one after the other. */
function firstViolations(versions: readonly Version[]): {
  readonly sum: number | undefined;
  readonly shrinks: ReadonlyMap<string, number>;
} {
  const now = new Map<string, number>();
  const shrinks = new Map<string, number>();
  let sum: number | undefined;
  for (const { revision, name, value } of versions) {
    const before = now.get(name);
    if (value !== undefined && before !== undefined && value < before && !shrinks.has(name)) shrinks.set(name, revision);
    if (value === undefined) now.delete(name);
    else now.set(name, value);
    if (sum === undefined && [...now.values()].reduce((a, b) => a + b, 0) > maxSum) sum = revision;
  }
  return { sum, shrinks };
}

test("the first violating version is the first by a plain model", async () => {
  await fc.assert(
    fc.asyncProperty(writes, fc.integer({ min: 1, max: 8 }), async (script, atOnce) => {
      await using cluster = await startCluster({ clock: virtualClock() });
      const { resourceVersion } = await cluster.client.resource(configMaps).list();
      const invariants = watchInvariants(cluster, {
        "the sum is small": ({ list }) =>
          list(configMaps, { namespace: "default" }).reduce((sum, one) => sum + (numberOf(one) ?? 0), 0) <= maxSum,
        "no value shrinks": eachVersion(configMaps, ({ object, oldObject }) => {
          if (object === undefined || oldObject === undefined) return true;
          return (numberOf(object) ?? 0) >= (numberOf(oldObject) ?? 0);
        }),
      });
      for (let i = 0; i < script.length; i += atOnce)
        await Promise.all(script.slice(i, i + atOnce).map((write) => perform(cluster, write)));
      const end = await cluster.client.resource(configMaps).create({ metadata: { name: "end" } });
      const versions = await versionsBy(cluster, resourceVersion, Number(end.metadata?.resourceVersion));
      const expected = firstViolations(versions);
      const found = await invariants.violations();
      const sum = found.find(({ invariant }) => invariant === "the sum is small");
      assert.equal(sum?.revision, expected.sum);
      const shrinks = found.filter(({ invariant }) => invariant === "no value shrinks");
      assert.deepEqual(
        new Map(shrinks.map(({ key, revision }) => [key.slice(key.lastIndexOf("/") + 1), revision])),
        new Map([...expected.shrinks].sort((a, b) => a[1] - b[1])),
      );
      for (const { chain, revision } of found) {
        assert.equal(chain.at(-1)?.reason, "violates");
        assert.equal(chain.at(-1)?.resourceVersion, String(revision));
        const order = chain.map((step) => Number(step.resourceVersion));
        assert.deepEqual(
          order,
          order.toSorted((a, b) => a - b),
        );
      }
    }),
    { numRuns: propertyRuns(60) },
  );
});
