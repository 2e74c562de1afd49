/** Several servers on one store, each of which sees the others' writes a little later, give Services addresses and ports of small ranges. */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { createSharedMemory } from "@coxswain/store/testing";
import fc from "fast-check";
import { ServiceInvariants } from "../service-invariants.ts";
import { type Answer, type Api, startApi } from "./api.ts";

const services = "/api/v1/namespaces/default/services";
const merge = "application/merge-patch+json";
const serviceClusterIpRange = ["10.0.0.0/28", "fd00::/124"];
/** But for the one of default/kubernetes. */
const [freeIps, freePorts] = [13, 12];
const serviceNodePortRange = "30000-30011";

/** A small generator of numbers: the seed makes the run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Cluster extends AsyncDisposable {
  readonly apis: readonly Api[];
  readonly invariants: ServiceInvariants;
}

/** @param maxTurns how long at most a server does not see what another has written, and a write is on its way, in turns of the event loop */
async function startServers(count: number, seed: number, maxTurns = 4): Promise<Cluster> {
  const shared = createSharedMemory();
  const clock = new ManualClock();
  const observer = shared.open({ clock });
  const invariants = new ServiceInvariants(observer);
  const below = numbers(seed);
  const delay = async (): Promise<void> => {
    for (let turns = below(maxTurns); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
  };
  const apis: Api[] = [];
  for (let i = 0; i < count; i++)
    apis.push(await startApi({ store: shared.open({ clock, delay }), serviceClusterIpRange, serviceNodePortRange }));
  return {
    apis,
    invariants,
    async [Symbol.asyncDispose]() {
      await Promise.all(apis.map(({ server }) => server.close()));
      invariants[Symbol.dispose]();
      await observer[Symbol.asyncDispose]();
    },
  };
}

const service = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
const createAll = (apis: readonly Api[], count: number, spec: object): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: count }, (_, i) => (apis[i % apis.length] as Api).send("POST", services, { body: service(`s-${i}`, spec) })),
  );
const succeeded = (answers: readonly Answer[]): Answer[] => answers.filter(({ status }) => status === 201);
const messagesOf = (answers: readonly Answer[]): string[] => [
  ...new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.message.replaceAll(/"s-\d+"/g, "NAME"))),
];

suite("several servers that allocate at the same time", () => {
  test("give each address once, as many as there are, and say then that the range is full", async () => {
    await using cluster = await startServers(3, 1);
    const answers = await createAll(cluster.apis, 40, {});
    assert.equal(succeeded(answers).length, freeIps);
    assert.deepEqual(messagesOf(answers), ["Internal error occurred: failed to allocate a serviceIP for Service NAME: range is full"]);
    await cluster.apis[0]?.send("DELETE", services, {});
    cluster.invariants.assertHeld();
    assert.deepEqual(cluster.invariants.addresses, []);
  });

  test("give each node port once, also for health checks, and free them", async () => {
    await using cluster = await startServers(3, 2);
    const answers = await createAll(cluster.apis, 20, { type: "NodePort", ipFamilies: ["IPv6"] });
    assert.equal(succeeded(answers).length, freePorts);
    assert.deepEqual(messagesOf(answers), ["Internal error occurred: failed to allocate a nodePort: range is full"]);
    const names = succeeded(answers).map(({ body }) => body.metadata.name);
    const [first, second] = cluster.apis as [Api, Api];
    for (const name of names.slice(0, 2))
      await first.send("PATCH", `${services}/${name}`, { type: merge, body: { spec: { type: "ClusterIP" } } });
    const spec = { type: "LoadBalancer", externalTrafficPolicy: "Local" };
    const { body } = await second.send("POST", services, { body: service("lb", spec) });
    assert.equal(new Set([body.spec.ports[0].nodePort, body.spec.healthCheckNodePort]).size, 2);
    assert.equal(cluster.invariants.bits.length, freePorts);
    await second.send("DELETE", services, {});
    cluster.invariants.assertHeld();
    assert.deepEqual(cluster.invariants.bits, []);
  });

  for (const { name, spec, message } of [
    {
      name: "an address",
      spec: { clusterIP: "10.0.0.9" },
      message:
        'Service NAME is invalid: spec.clusterIPs: Invalid value: ["10.0.0.9"]: failed to allocate IP 10.0.0.9: provided IP is already allocated',
    },
    {
      name: "a node port",
      spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30_005 }] },
      message: "Service NAME is invalid: spec.ports[0].nodePort: Invalid value: 30005: provided port is already allocated",
    },
  ])
    test(`give ${name} that several ask for to one of them`, async () => {
      await using cluster = await startServers(3, 3);
      const answers = await createAll(cluster.apis, 9, spec);
      assert.deepEqual([succeeded(answers).length, messagesOf(answers)], [1, [message]]);
      cluster.invariants.assertHeld();
    });

  test("give what was deleted on another server a moment ago", async () => {
    await using cluster = await startServers(2, 4, 60);
    const [first, second] = cluster.apis as [Api, Api];
    for (let i = 0; i < 10; i++) {
      const [one, other] = i % 2 === 0 ? [first, second] : [second, first];
      const body = service("a", { type: "NodePort", clusterIP: "10.0.0.9", ports: [{ port: 80, nodePort: 30_005 }] });
      assert.equal((await one.send("POST", services, { body })).status, 201);
      assert.equal((await one.send("DELETE", `${services}/a`)).status, 200);
      assert.equal((await other.send("POST", services, { body: { ...body, metadata: { name: "b" } } })).status, 201);
      assert.equal((await other.send("DELETE", `${services}/b`)).status, 200);
    }
    cluster.invariants.assertHeld();
  });

  test("warn once, however often they choose", async () => {
    await using cluster = await startServers(3, 5);
    const spec = { type: "NodePort", externalIPs: ["010.1.2.3"] };
    for (const { headers } of succeeded(await createAll(cluster.apis, 12, spec))) assert.equal([headers.warning ?? []].flat().length, 1);
  });
});

const specs: readonly object[] = [
  {},
  { clusterIP: "None" },
  { clusterIP: "10.0.0.3" },
  { ipFamilyPolicy: "RequireDualStack" },
  { ipFamilies: ["IPv6"], clusterIP: "fd00::3" },
  { type: "ExternalName", externalName: "a.b" },
  {
    type: "NodePort",
    ports: [
      { port: 53, protocol: "UDP", name: "u" },
      { port: 53, name: "t" },
    ],
  },
  { type: "NodePort", ports: [{ port: 80, nodePort: 30_003 }] },
  { type: "LoadBalancer", externalTrafficPolicy: "Local" },
  { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 30_004 },
];
const patches: readonly object[] = [
  { spec: { type: "ClusterIP", externalTrafficPolicy: null, healthCheckNodePort: null } },
  { spec: { type: "NodePort" } },
  {
    spec: {
      type: "ExternalName",
      externalName: "a.b",
      clusterIP: null,
      clusterIPs: null,
      externalTrafficPolicy: null,
      healthCheckNodePort: null,
    },
  },
  { spec: { type: "ClusterIP", externalName: null } },
  { spec: { ipFamilyPolicy: "PreferDualStack" } },
  { spec: { ipFamilyPolicy: "SingleStack" } },
  { metadata: { finalizers: ["a.b/c"] } },
  { metadata: { finalizers: null } },
  { spec: { ports: [{ port: 81, nodePort: 30_007 }] } },
];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("create" as const), name: fc.nat(9), spec: fc.nat(specs.length - 1), dryRun: fc.nat(5) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("patch" as const), name: fc.nat(9), patch: fc.nat(patches.length - 1) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("delete" as const), name: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function take(api: Api, one: Step): Promise<Answer> {
  switch (one.do) {
    case "create":
      return api.send("POST", one.dryRun === 0 ? `${services}?dryRun=All` : services, {
        body: service(`s-${one.name}`, specs[one.spec]),
      });
    case "patch":
      return api.send("PATCH", `${services}/s-${one.name}`, { type: merge, body: patches[one.patch] });
    case "delete":
      return api.send("DELETE", `${services}/s-${one.name}`);
    case "clear":
      return api.send("DELETE", services);
  }
}

/** What may come of a write of which others are under way. */
const expected = /already exists|not found|already allocated|range is full|is invalid|object is being deleted/;

suite("whatever several servers do with Services", () => {
  test("each address and port is one Service's, and exactly those are recorded, after each write", async () => {
    let states = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 20, maxLength: 80 }),
        fc.nat(1_000_000),
        fc.integer({ min: 1, max: 12 }),
        async (steps, seed, atOnce) => {
          await using cluster = await startServers(3, seed);
          const pending = steps.values();
          const client = async (i: number): Promise<void> => {
            for (const one of pending) {
              const { status, body } = await take(cluster.apis[i % 3] as Api, one);
              if (status >= 300) assert.match(`${status} ${body.message}`, expected);
            }
          };
          await Promise.all(Array.from({ length: atOnce }, (_, i) => client(i)));
          for (let i = 0; i < 10; i++) await cluster.apis[0]?.send("PATCH", `${services}/s-${i}`, { type: merge, body: patches[7] });
          await cluster.apis[0]?.send("DELETE", services);
          cluster.invariants.assertHeld();
          assert.deepEqual([cluster.invariants.addresses, cluster.invariants.bits], [[], []]);
          states += cluster.invariants.states;
        },
      ),
      { numRuns: 20, seed: 7 },
    );
    assert.ok(states > 500, `${states} states`);
  });
});
