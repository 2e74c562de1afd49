import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, updatedAs } from "../../kind-under-test.ts";
import { resourceSlice } from "./strategy.ts";

const sliceOf = (device: object, more: object = {}) => ({
  metadata: { name: "s", creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: {
    driver: "d.example.com",
    pool: { name: "p", generation: 0, resourceSliceCount: 1 },
    allNodes: true,
    devices: [{ name: "gpu", ...device }],
    ...more,
  },
});
const at = "spec.devices[0]";
const shared = { allowMultipleAllocations: true };
const manyAttributes = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`a${i}`, { int: i }]));
const memory = (requestPolicy: object) => ({ ...shared, capacity: { memory: { value: "10Gi", requestPolicy } } });
const policyAt = `${at}.capacity[memory].requestPolicy`;
const onePlace =
  "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";

const cases: readonly { readonly name: string; readonly device: object; readonly problems: readonly string[] }[] = [
  {
    name: "of one kind each",
    device: { attributes: { model: { string: "x" }, "example.com/v": { version: "1.2.3-a.1+b" } } },
    problems: [],
  },
  {
    name: "without value",
    device: { attributes: { model: {} } },
    problems: [`${at}.attributes[model]: Invalid value: "": exactly one value must be specified`],
  },
  {
    name: "with two values",
    device: { attributes: { model: { string: "x", int: 1 } } },
    problems: [
      `${at}.attributes[model]: Invalid value: {"IntValue":1,"BoolValue":null,"StringValue":"x","VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified`,
    ],
  },
  {
    name: "with a version that is none, and a long text",
    device: { attributes: { v: { version: "1.2" }, t: { string: "x".repeat(65) } } },
    problems: [
      `${at}.attributes[v].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0`,
      `${at}.attributes[t].string: Too long: may not be more than 64 bytes`,
    ],
  },
  {
    name: "with a name in an empty domain",
    device: { attributes: { "/x": { int: 1 } } },
    problems: [`${at}.attributes: Invalid value: "": the domain must not be empty`],
  },
  {
    name: "with too many attributes",
    device: { attributes: manyAttributes },
    problems: [`${at}: Invalid value: 33: the total number of attributes and capacities must not exceed 32`],
  },
  {
    name: "a device whose capacity is not shared",
    device: { capacity: { memory: { value: "1", requestPolicy: {} } } },
    problems: [`${policyAt}: Forbidden: allowMultipleAllocations must be true`],
  },
  {
    name: "without a default amount",
    device: memory({ validValues: ["1Gi"] }),
    problems: [`${policyAt}.default: Required value: required when validValues is defined`],
  },
  {
    name: "of amounts that do not fit",
    device: memory({ default: "3Gi", validValues: ["20Gi", "1Gi"] }),
    problems: [
      `${policyAt}.validValues[1]: Invalid value: "1Gi": values must be sorted in ascending order`,
      `${policyAt}.validValues[0]: Invalid value: "20Gi": option is larger than capacity value: 10Gi`,
      `${policyAt}.validValues: Invalid value: "3Gi": default value is not valid according to the requestPolicy`,
    ],
  },
  {
    name: "of a range with odd steps",
    device: memory({ default: "4Gi", validRange: { min: "1Gi", max: "5Gi", step: "2Gi" } }),
    problems: [`${policyAt}.validRange.step: Invalid value: "4Gi": value is not a multiple of a given step (2Gi) from (1Gi)`],
  },
  {
    name: "that takes from nothing",
    device: { consumesCounters: [{ counterSet: "", counters: {} }] },
    problems: [`${at}.consumesCounters[0].counterSet: Required value`, `${at}.consumesCounters[0].counters: Required value`],
  },
  {
    name: "with a wrong taint",
    device: { taints: [{ key: "k", effect: "Never" }] },
    problems: [`${at}.taints[0].effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "None"`],
  },
  {
    name: "that fails without a way to succeed",
    device: { bindingFailureConditions: ["no", "no"] },
    problems: [
      `${at}.bindingFailureConditions[1]: Duplicate value: "no"`,
      `${at}.bindingConditions: Invalid value: null: bindingConditions are required to use bindingFailureConditions`,
    ],
  },
  {
    name: "with a place of its own",
    device: { nodeName: "n" },
    problems: [
      `${at}: Invalid value: null: \`nodeName\`, \`nodeSelector\` and \`allNodes\` can only be set if \`perDeviceNodeSelection\` is set to true in the ResourceSlice spec`,
    ],
  },
];

for (const { name, device, problems } of cases) {
  test(`a device ${name}`, () => assert.deepEqual(createdAs(resourceSlice, sliceOf(device)).problems, problems));
}

test("each device is somewhere", () => {
  const perDevice = { allNodes: undefined, perDeviceNodeSelection: true };
  assert.deepEqual(createdAs(resourceSlice, sliceOf({}, perDevice)).problems, [`${at}: Required value: ${onePlace}`]);
  assert.deepEqual(createdAs(resourceSlice, sliceOf({ nodeName: "n", allNodes: true }, perDevice)).problems, [
    `${at}: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${onePlace}`,
  ]);
});

test("no more than 128 devices, or 64 with taints", () => {
  const devices = Array.from({ length: 65 }, (_, i) => ({ name: `d${i}` }));
  assert.deepEqual(createdAs(resourceSlice, sliceOf({}, { devices })).problems, []);
  const tainted = [{ name: "t", taints: [{ key: "k", effect: "None" }] }, ...devices];
  assert.deepEqual(createdAs(resourceSlice, sliceOf({}, { devices: tainted })).problems, [
    "spec.devices: Too many: 66: must have at most 64 items",
  ]);
});

test("a taint is dated, and stays though it is wrong", () => {
  const made = createdAs(resourceSlice, sliceOf({ taints: [{ key: "k", effect: "Never" }] }));
  assert.equal(made.object.spec.devices?.[0]?.taints?.[0]?.timeAdded, "2026-01-01T00:00:00Z");
  assert.deepEqual(updatedAs(resourceSlice, made.object, made.object).problems, []);
});

test("lists of values are for features that are off", () => {
  const { object, problems } = createdAs(resourceSlice, sliceOf({ attributes: { a: { ints: [1, 2], int: 1 } } }));
  assert.deepEqual(problems, []);
  assert.deepEqual(object.spec.devices?.[0]?.attributes, { a: { int: 1 } });
});
