/** A recording against what was recorded: random writes, of which every state is the same in both. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import type { Client, KubeObject, Transport } from "@coxswain/client";
import { configMaps, conflictChanges, deployments, isConflict, secrets, unlessNotFound } from "@coxswain/client";
import { parseJson } from "@coxswain/machinery";
import fc from "fast-check";
import { propertyRuns } from "../../../../tests/scope.ts";
import { ServerRecording } from "../recording/server-recording.ts";
import { VirtualClock } from "../testing/chance-and-time/virtual-clock.ts";
import { startCluster } from "../testing/cluster/start-cluster.ts";
import type { TestCluster } from "../testing/cluster/test-cluster.ts";
import { loadRecording } from "./load-recording.ts";
import { startRecordedServer } from "./recorded-server.ts";

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: seats.cinema.example }
spec:
  group: cinema.example
  scope: Namespaced
  names: { plural: seats, singular: seat, kind: Seat }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, x-kubernetes-preserve-unknown-fields: true } } } }
`;
const seats = { group: "cinema.example", version: "v1", resource: "seats", kind: "Seat", namespaced: true } as const;
const refs = { configMaps, secrets, deployments, seats };
type Kind = keyof typeof refs;

const step = fc.record({
  kind: fc.constantFrom<Kind>("configMaps", "secrets", "deployments", "seats"),
  name: fc.constantFrom("a", "b"),
  what: fc.constantFrom("apply", "delete", "stale"),
  value: fc.constantFrom("1", "two", "3é", ""),
  passMs: fc.constantFrom(0, 1, 1_500),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function objectOf({ kind, name, value }: Step): KubeObject {
  const metadata = { name };
  switch (kind) {
    case "configMaps":
      return { metadata, data: { value } } as KubeObject;
    case "secrets":
      return { metadata, stringData: { value } } as KubeObject;
    case "seats":
      return { metadata, spec: { value, big: 9_007_199_254_740_993n } } as KubeObject;
    case "deployments": {
      const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: "web", image: `web:${value}` }] } };
      return { metadata, spec: { selector: { matchLabels: { app: name } }, template } } as KubeObject;
    }
  }
}

async function take(client: Client, one: Step): Promise<void> {
  const resource = client.resource<KubeObject>(refs[one.kind]);
  if (one.what === "apply") await resource.apply(objectOf(one), { fieldManager: "tester", force: true });
  if (one.what === "delete") await unlessNotFound(resource.delete(one.name), refs[one.kind], one.name);
  if (one.what !== "stale") return;
  const found = await unlessNotFound(resource.get(one.name), refs[one.kind], one.name);
  if (found === undefined) return;
  const labelled = (label: string): KubeObject => ({ ...found, metadata: { ...found.metadata, labels: { label } } });
  await resource.update(labelled("x"));
  await resource.update(labelled("y")).catch((error: unknown) => assert.ok(isConflict(error) || conflictChanges(error).length > 0));
}

async function json(transport: Transport, path: string): Promise<Record<string, unknown>> {
  const answer = await transport.send({ method: "GET", path, headers: { accept: "application/json" } });
  assert.equal(answer.status, 200, `${path}: ${Buffer.from(await answer.bytes())}`);
  return parseJson(await answer.bytes()) as Record<string, unknown>;
}

const lists = [
  "/api/v1/configmaps",
  "/api/v1/namespaces",
  "/api/v1/secrets",
  "/apis/apps/v1/deployments",
  "/apis/cinema.example/v1/seats",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/apis/rbac.authorization.k8s.io/v1/clusterroles?limit=3",
];

suite("a replayed recording", () => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-replay-"));
  after(() => rmSync(folder, { recursive: true }));
  let files = 0;

  async function recorded(cluster: TestCluster, from: string | undefined): Promise<string> {
    const path = join(folder, `${++files}.cox`);
    const time = new Date(cluster.clock.now()).toISOString();
    using recording = await ServerRecording.begin({
      ...{ client: cluster.client, path, scope: { ownNamespace: "default" }, from, withSecrets: true },
      facts: { coxswain: "0.1.0", made: time, source: "test", time: "virtual", reason: "a test" },
    });
    await recording.catchUp();
    recording.end(cluster.clock.now());
    return path;
  }

  test("has each state, each version with its writer, and each conflict that the source had", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(step, { maxLength: 8 }),
        fc.boolean(),
        async (before, behind, isFromMidst) => {
          const clock = new VirtualClock();
          await using cluster = await startCluster({ clock });
          await cluster.applyYaml(definition);
          const source = cluster.transport;
          for (const one of before) {
            await take(cluster.client, one);
            await clock.advance({ ms: one.passMs });
          }
          const midst = (await json(source, "/coxswain/v1/moment")).resourceVersion as string;
          for (const one of behind) {
            await take(cluster.client, one);
            await clock.advance({ ms: one.passMs });
          }
          const path = await recorded(cluster, isFromMidst ? midst : "1");
          using loaded = loadRecording(path);
          assert.ok(loaded.isWhole);
          await using server = await startRecordedServer(loaded);
          const first = loaded.header.from.resourceVersion;
          for (let revision = Math.max(first, Number(midst) - 5); revision <= loaded.revision; revision++)
            for (const list of lists) {
              const asked = `/coxswain/v1/past${list}${list.includes("?") ? "&" : "?"}at=${revision}`;
              const [was, is] = [await state(source, asked), await state(server.transport, asked)];
              assert.deepEqual(is, was, asked);
            }
          for (const timeline of [`after=${first}`, `upTo=${loaded.revision}&limit=7`]) {
            const [was, is] = [
              await json(source, `/coxswain/v1/timeline?${timeline}`),
              await json(server.transport, `/coxswain/v1/timeline?${timeline}`),
            ];
            for (const part of isFromMidst && timeline.startsWith("upTo") ? [] : ["changes", "writers", "objects"])
              assert.deepEqual(is[part], was[part], `${timeline} ${part}`);
          }
          assert.deepEqual(loaded.conflicts, isFromMidst ? loaded.conflicts : (await json(source, "/coxswain/v1/conflicts")).items);
        },
      ),
      { numRuns: propertyRuns(12) },
    );
  });
});

/** What is asked of a state that nobody has defined yet, is refused by both. */
async function state(transport: Transport, path: string): Promise<unknown> {
  const answer = await transport.send({ method: "GET", path, headers: { accept: "application/json" } });
  const body = parseJson(await answer.bytes()) as { metadata?: { continue?: string } };
  if (answer.status !== 200) return answer.status;
  return { ...body, metadata: { ...body.metadata, continue: body.metadata?.continue === undefined ? undefined : "there is more" } };
}
