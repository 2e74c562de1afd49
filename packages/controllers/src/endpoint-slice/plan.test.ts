import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ServiceWithPods } from "../shared/endpoint-slices/desired-endpoints.ts";
import type { EndpointSlice, SlicesByAction } from "../shared/endpoint-slices/pack.ts";
import { podOf, serviceOf } from "../shared/service-pods/service-under-test.ts";
import { plan } from "./plan.ts";

const node = { metadata: { name: "n1" } };
const service = serviceOf();
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const observed = (numbers: readonly number[], of = service): ServiceWithPods => ({
  service: of,
  pods: numbers.map((n) => podOf(n)),
  nodeNamed: () => node,
});

const plannedSlices = (given: ServiceWithPods, existing: readonly EndpointSlice[]): SlicesByAction => {
  const [first] = plan({ ...given, slices: existing }).byType;
  assert.ok(first);
  return first.slices;
};

let names = 0;
/** As the server would have them after all that was planned. */
function carriedOut({ create, update, keep }: SlicesByAction): EndpointSlice[] {
  const named = create.map((slice) => ({ ...slice, metadata: { ...slice.metadata, name: `web-${++names}`, uid: `u${names}` } }));
  return [...keep, ...update, ...named];
}

const slicesFor = (...groups: readonly (readonly number[])[]): EndpointSlice[] =>
  groups.flatMap((numbers) => carriedOut(plannedSlices(observed(numbers), [])));
const sizes = (slices: readonly EndpointSlice[]): number[] => slices.map(({ endpoints }) => endpoints?.length ?? 0);
const counts = ({ create, update, keep, delete: gone }: SlicesByAction) => ({
  create: sizes(create),
  update: sizes(update),
  keep: sizes(keep),
  delete: sizes(gone),
});

const cases = [
  {
    name: "a Service without Pods has one slice that says so",
    pods: [],
    existing: [],
    expect: { create: [0], update: [], keep: [], delete: [] },
  },
  { name: "which stays as it is", pods: [], existing: slicesFor([]), expect: { create: [], update: [], keep: [0], delete: [] } },
  {
    name: "and is used for the first Pods",
    pods: range(0, 3),
    existing: slicesFor([]),
    expect: { create: [], update: [3], keep: [], delete: [] },
  },
  {
    name: "a slice has a hundred endpoints at most",
    pods: range(0, 250),
    existing: [],
    expect: { create: [100, 100, 50], update: [], keep: [], delete: [] },
  },
  {
    name: "slices that are up to date are not written",
    pods: range(0, 3),
    existing: slicesFor(range(0, 3)),
    expect: { create: [], update: [], keep: [3], delete: [] },
  },
  {
    name: "slices that are written anyway are filled up first",
    pods: [...range(0, 9), 300],
    existing: slicesFor(range(0, 10), range(20, 25)),
    expect: { create: [], update: [10], keep: [], delete: [5] },
  },
  {
    name: "new endpoints go where they leave the least room",
    pods: [...range(0, 90), ...range(100, 150), 300],
    existing: slicesFor(range(0, 90), range(100, 150)),
    expect: { create: [], update: [91], keep: [50], delete: [] },
  },
  {
    name: "slices are not merged for the sake of it",
    pods: [...range(0, 10), ...range(20, 30)],
    existing: slicesFor(range(0, 10), range(20, 30)),
    expect: { create: [], update: [], keep: [10, 10], delete: [] },
  },
  {
    name: "when the last Pod goes, its slice says so",
    pods: [],
    existing: slicesFor(range(0, 3)),
    expect: { create: [], update: [0], keep: [], delete: [] },
  },
];
for (const { name, pods, existing, expect } of cases)
  test(name, () => assert.deepEqual(counts(plannedSlices(observed(pods), existing)), expect));

test("a slice has the Service's labels, its name and the controller's, and belongs to it", () => {
  const labelled = serviceOf({ clusterIP: "None" }, { labels: { team: "a", "kubernetes.io/service-name": "other" } });
  const [slice] = plannedSlices(observed([1], labelled), []).create;
  assert.deepEqual(slice?.metadata, {
    generateName: "web-",
    namespace: "default",
    labels: {
      team: "a",
      "service.kubernetes.io/headless": "",
      "kubernetes.io/service-name": "web",
      "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    },
    ownerReferences: [{ apiVersion: "v1", kind: "Service", name: "web", uid: "service-1", controller: true, blockOwnerDeletion: true }],
  });
});

test("other labels of the Service are other labels of its slices", () => {
  const existing = slicesFor([1, 2]);
  const { update } = plannedSlices(observed([1, 2], serviceOf({}, { labels: { team: "b" } })), existing);
  assert.deepEqual(
    update.map(({ metadata, endpoints }) => [metadata?.labels?.team, endpoints?.length]),
    [["b", 2]],
  );
});

test("slices of another Service of the same name are deleted, never used", () => {
  const existing = carriedOut(plannedSlices(observed([1], serviceOf({}, { uid: "before" })), []));
  assert.deepEqual(counts(plannedSlices(observed([1]), existing)), { create: [1], update: [], keep: [], delete: [1] });
});

test("slices of a family that the Service does not have are deleted", () => {
  const existing = slicesFor([1]).map((slice) => ({ ...slice, addressType: "IPv6" }));
  assert.deepEqual(
    [plan({ ...observed([1]), slices: existing }).foreign.length, plannedSlices(observed([1]), existing).create.length],
    [1, 1],
  );
});

const pods = fc.uniqueArray(fc.nat(400), { maxLength: 300 });
test("whatever Pods come and go, each is in one slice, no slice is too long, and a second plan changes nothing", () => {
  fc.assert(
    fc.property(fc.array(pods, { minLength: 1, maxLength: 4 }), (steps) => {
      let slices: EndpointSlice[] = [];
      for (const numbers of steps) {
        slices = carriedOut(plannedSlices(observed(numbers), slices));
        const names = slices.flatMap(({ endpoints }) => (endpoints ?? []).map(({ targetRef }) => targetRef?.name ?? ""));
        assert.deepEqual(names.sort(), numbers.map((n) => `web-${n}`).sort());
        assert.ok(slices.length > 0 && sizes(slices).every((size) => size <= 100));
        const { create, update, delete: gone } = plannedSlices(observed(numbers), slices);
        assert.deepEqual([create.length, update.length, gone.length], [0, 0, 0]);
      }
    }),
    { numRuns: 50 },
  );
});
