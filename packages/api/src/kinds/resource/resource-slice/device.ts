/** One of the devices that a ResourceSlice lists. */
import { deepEqual, field, validateDns1123Label, validateDns1123Subdomain, validateLabelValue } from "@coxswain/machinery";
import type { Device, DeviceCounterConsumption, DeviceTaint } from "@coxswain/types/resource-v1";
import { addInvalid, type Errors, isSet, requiredOneOf } from "../../../validation/checks.ts";
import { validateLabelKey } from "../../../validation/metadata/parts.ts";
import { validateNodeSelector } from "../../../validation/node-selector.ts";
import { validateBindingConditions } from "../../../validation/resource/binding-conditions.ts";
import { type SetRules, validateList, validateSet } from "../../../validation/resource/lists.ts";
import { entryPath, validateDeviceQualifiedName } from "../../../validation/resource/qualified-name.ts";
import { validateConsumption } from "./counters.ts";
import { validateDeviceAttribute, valuesIn } from "./device-attribute.ts";
import { validateRequestPolicy } from "./request-policy.ts";

const maxEntries = 32;
const maxValues = 48;
const maxTaints = 16;
const maxConsumptions = 2;

const consumptions: SetRules<DeviceCounterConsumption> = {
  max: maxConsumptions,
  validate: validateConsumption,
  keyOf: ({ counterSet }) => counterSet,
};

/** `perDevice`: each device says from where it can be reached. Taints that stay as they were in `prev` are not checked. */
export function validateDevice(
  out: Errors,
  path: string,
  device: Readonly<Device>,
  { prev, perDevice }: { readonly prev: Readonly<Device> | undefined; readonly perDevice: boolean },
): void {
  const { attributes = {}, capacity = {}, taints = [], consumesCounters = [] } = device;
  addInvalid(out, `${path}.name`, device.name, validateDns1123Label(device.name));
  const entries = Object.keys(attributes).length + Object.keys(capacity).length;
  if (entries > maxEntries) {
    out.push(field.invalid(path, entries, `the total number of attributes and capacities must not exceed ${maxEntries}`));
  }
  const values = valuesIn(attributes);
  if (values > maxValues) out.push(field.invalid(path, values, `the total number of attribute values must not exceed ${maxValues}`));
  for (const [name, attribute] of Object.entries(attributes)) {
    validateDeviceQualifiedName(out, `${path}.attributes`, name);
    validateDeviceAttribute(out, entryPath(`${path}.attributes`, name), attribute);
  }
  validateCapacity(out, `${path}.capacity`, device);
  if (!deepEqual(prev?.taints ?? [], taints)) validateList(out, `${path}.taints`, taints, { max: maxTaints, validate: validateTaint });
  validateSet(out, `${path}.consumesCounters`, consumesCounters, consumptions);
  if (perDevice) validateNodes(out, path, device);
  else if (isSet(device.nodeName) || isSet(device.nodeSelector) || isSet(device.allNodes)) {
    const why =
      "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    out.push(field.invalid(path, null, why));
  }
  validateBindingConditions(out, path, device);
}

function validateCapacity(out: Errors, path: string, { capacity = {}, allowMultipleAllocations = false }: Readonly<Device>): void {
  for (const [name, { value, requestPolicy }] of Object.entries(capacity)) {
    validateDeviceQualifiedName(out, path, name);
    if (requestPolicy === undefined) continue;
    const at = `${entryPath(path, name)}.requestPolicy`;
    if (allowMultipleAllocations) validateRequestPolicy(out, at, value, requestPolicy);
    else out.push(field.forbidden(at, "allowMultipleAllocations must be true"));
  }
}

function validateTaint(out: Errors, path: string, { key = "", value, effect }: Readonly<DeviceTaint>): void {
  validateLabelKey(out, key, `${path}.key`);
  if (value) addInvalid(out, `${path}.value`, value, validateLabelValue(value));
  requiredOneOf(out, `${path}.effect`, effect, ["NoExecute", "NoSchedule", "None"]);
}

function validateNodes(out: Errors, path: string, { nodeName, nodeSelector, allNodes }: Readonly<Device>): void {
  if (nodeName) addInvalid(out, `${path}.nodeName`, nodeName, validateDns1123Subdomain(nodeName));
  else if (nodeName === "") out.push(field.invalid(`${path}.nodeName`, nodeName, "must not be empty"));
  if (nodeSelector) validateNodeSelector(out, `${path}.nodeSelector`, nodeSelector);
  if (allNodes === false) out.push(field.invalid(`${path}.allNodes`, allNodes, "must be either unset or set to true"));
  const ways = Object.entries({ nodeName, nodeSelector, allNodes }).filter(([, value]) => value);
  if (ways.length === 1) return;
  const why =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (ways.length === 0) out.push(field.required(path, why));
  else out.push(field.invalid(path, `{${ways.map(([name]) => `\`${name}\``).join(", ")}}`, why));
}
