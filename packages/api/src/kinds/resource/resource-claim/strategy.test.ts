import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, statusUpdatedAs, updatedAs } from "../../kind-under-test.ts";
import { resourceClaimTemplate } from "../resource-claim-template/strategy.ts";
import { resourceClaim } from "./strategy.ts";

const spec = { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpus" } }] } };
const claimOf = (devices: object) => ({ metadata: { name: "c" }, spec: { devices: { ...spec.devices, ...devices } } });
const made = createdAs(resourceClaim, { metadata: { name: "c" }, spec }).object;
const result = { request: "gpu", driver: "d.example.com", pool: "p", device: "gpu-0" };
const id = { driver: "d.example.com", pool: "p", device: "gpu-0" };
const allocation = { devices: { results: [result] } };
const noSuchRequest = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

test("what a claim wants of its devices", () => {
  const opaque = { driver: "d.example.com", parameters: ["x"] };
  const devices = { constraints: [{ requests: ["a/b/c"], matchAttribute: "model" }], config: [{ opaque }] };
  assert.deepEqual(createdAs(resourceClaim, claimOf(devices)).problems, [
    `spec.devices.constraints[0].requests[0]: Invalid value: "a/b/c": ${noSuchRequest}`,
    'spec.devices.constraints[0].matchAttribute: Invalid value: "model": a fully qualified name must be a domain and a name separated by a slash',
    'spec.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
  ]);
});

test("too many are not looked at one by one", () => {
  const constraints = Array.from({ length: 33 }, () => ({}));
  assert.deepEqual(createdAs(resourceClaim, claimOf({ constraints })).problems, [
    "spec.devices.constraints: Too many: 33: must have at most 32 items",
  ]);
});

test("of a claim's change only one thing is said", () => {
  const { problems } = updatedAs(resourceClaim, made, claimOf({ constraints: [{}] }));
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /^spec: Invalid value: .*: field is immutable$/);
});

test("what a claim is given is checked once", () => {
  const wrong = {
    nodeSelector: { nodeSelectorTerms: [] },
    devices: { results: [{ ...result, request: "nic", shareID: "A" }], config: [{ source: "Nobody" }] },
  };
  const given = statusUpdatedAs(resourceClaim, made, { allocation: wrong });
  assert.deepEqual(given.problems, [
    `status.allocation.devices.results[0].request: Invalid value: "nic": ${noSuchRequest}`,
    'status.allocation.devices.results[0].shareID: Invalid value: "A": error validating uid: invalid UUID length: 1',
    'status.allocation.devices.config[0].source: Unsupported value: "Nobody": supported values: "FromClaim", "FromClass"',
    "status.allocation.devices.config[0].opaque: Required value",
    "status.allocation.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term",
  ]);
  assert.deepEqual(statusUpdatedAs(resourceClaim, given.object, { allocation: wrong }).problems, []);
});

test("drivers report on the devices that were given", () => {
  const report = { ...id, networkData: { ips: ["10.0.0.1"] } };
  assert.deepEqual(statusUpdatedAs(resourceClaim, made, { allocation, devices: [report, { ...id, device: "gpu-1" }] }).problems, [
    'status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.1": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
    'status.devices[1]: Invalid value: {"Driver":"d.example.com","Pool":"p","Device":"gpu-1","ShareID":""}: must be an allocated device in the claim',
  ]);
});

test("reports go with the device", () => {
  const before = { ...made, status: { allocation, devices: [id] } };
  const { object, problems } = statusUpdatedAs(resourceClaim, before, { devices: [{ ...id, data: { changed: true } }] });
  assert.deepEqual(problems, []);
  assert.deepEqual(object.status, {});
});

test("a template gives labels and annotations, nothing else", () => {
  const metadata = { name: "x", finalizers: ["example.com/f"], labels: { a: "b" } };
  assert.deepEqual(createdAs(resourceClaimTemplate, { metadata: { name: "t" }, spec: { metadata, spec } }).problems, [
    "spec.metadata.Name: Forbidden: cannot be set",
    "spec.metadata.Finalizers: Forbidden: cannot be set",
  ]);
});
