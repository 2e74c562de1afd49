import { field, validateDns1123Subdomain } from "@coxswain/machinery";
import type { Device, ResourcePool, ResourceSlice, ResourceSliceSpec } from "@coxswain/types/resource-v1";
import type { Validation } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors, immutable } from "../../../validation/checks.ts";
import { validateNodeSelector } from "../../../validation/node-selector.ts";
import { validateDriverName, validatePoolName } from "../../../validation/resource/driver-name.ts";
import { validateSet } from "../../../validation/resource/lists.ts";
import { validateCounterSet } from "./counters.ts";
import { validateDevice } from "./device.ts";
import { hasLists } from "./device-attribute.ts";

export const resourceSliceValidation: Validation<ResourceSlice> = {
  validate: ({ spec }, prev) => {
    const out: Errors = [];
    validateDriverName(out, "spec.driver", spec?.driver);
    validatePool(out, "spec.pool", spec?.pool ?? { name: "", generation: 0, resourceSliceCount: 0 });
    if (spec !== undefined) validateNodes(out, "spec", spec);
    if (spec?.sharedCounters !== undefined && spec.devices !== undefined) {
      out.push(field.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed"));
    }
    validateDevices(out, "spec.devices", spec, prev?.spec);
    const named = ({ name }: { readonly name: string }) => name;
    validateSet(out, "spec.sharedCounters", spec?.sharedCounters ?? [], {
      max: maxCounterSets,
      validate: validateCounterSet,
      keyOf: named,
    });
    return out;
  },
  validateUpdate: ({ spec: next }, { spec: prev }) => {
    const out: Errors = [];
    immutable(out, "spec.pool.name", next?.pool?.name, prev?.pool?.name);
    immutable(out, "spec.driver", next?.driver, prev?.driver);
    immutable(out, "spec.nodeName", next?.nodeName, prev?.nodeName);
    return out;
  },
};

const maxDevices = 128;

const maxIntricateDevices = 64;

const maxCounterSets = 8;

const oneIsRequired = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

function validatePool(out: Errors, path: string, { name, resourceSliceCount, generation }: Readonly<ResourcePool>): void {
  validatePoolName(out, `${path}.name`, name);
  if (resourceSliceCount <= 0) out.push(field.invalid(`${path}.resourceSliceCount`, resourceSliceCount, "must be greater than zero"));
  if (generation < 0) out.push(field.invalid(`${path}.generation`, generation, "must be greater than or equal to zero"));
}

/** One way of saying from which Nodes the devices can be reached. */
function validateNodes(out: Errors, path: string, spec: Readonly<ResourceSliceSpec>): void {
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec;
  if (nodeName) addInvalid(out, `${path}.nodeName`, nodeName, validateDns1123Subdomain(nodeName));
  else if (nodeName === "") out.push(field.invalid(`${path}.nodeName`, nodeName, "must be either unset or set to a non-empty string"));
  if (nodeSelector !== undefined) {
    validateNodeSelector(out, `${path}.nodeSelector`, nodeSelector);
    const terms = nodeSelector.nodeSelectorTerms;
    if (terms?.length !== 1) {
      out.push(field.invalid(`${path}.nodeSelector.nodeSelectorTerms`, terms, "must have exactly one node selector term"));
    }
  }
  for (const [name, value] of Object.entries({ allNodes, perDeviceNodeSelection })) {
    if (value === false) out.push(field.invalid(`${path}.${name}`, value, "must be either unset or set to true"));
  }
  const ways = Object.entries({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection }).filter(([, value]) => value);
  if (ways.length === 0) out.push(field.required(path, oneIsRequired));
  if (ways.length < 2) return;
  const shown = `{${ways.map(([name]) => `\`${name}\``).join(", ")}}`;
  out.push(field.invalid(path, shown, `${oneIsRequired}, but multiple fields are set`));
}

function validateDevices(
  out: Errors,
  path: string,
  spec: Readonly<ResourceSliceSpec> | undefined,
  prev: Readonly<ResourceSliceSpec> | undefined,
): void {
  const devices = spec?.devices ?? [];
  const perDevice = spec?.perDeviceNodeSelection === true;
  const before = new Map((prev?.devices ?? []).map((device) => [device.name, device]));
  validateSet(out, path, devices, {
    max: devices.some(isIntricate) ? maxIntricateDevices : maxDevices,
    validate: (errors, at, device) => validateDevice(errors, at, device, { prev: before.get(device.name), perDevice }),
    keyOf: (device) => device.name,
  });
}

const isIntricate = ({ taints = [], consumesCounters = [], attributes = {} }: Readonly<Device>): boolean =>
  taints.length > 0 || consumesCounters.length > 0 || Object.values(attributes).some(hasLists);
