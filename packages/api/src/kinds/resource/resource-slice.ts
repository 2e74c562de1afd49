import { field, goQuote, isDns1123Subdomain } from "@coxswain/machinery";
import { ageCell } from "../../age.ts";
import { defineKind } from "../../kind.ts";
import { type Errors, immutable, refuse } from "../../pod/checks.ts";
import type { ResourcePool, ResourceSlice, ResourceSliceSpec } from "../../types/resource-v1.ts";
import { validateDriverName, validatePoolName } from "./driver-name.ts";

const oneIsRequired = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

/**
 * Devices that a driver offers. What a single device may look like is left to the driver.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
 */
export const resourceSlice = defineKind<ResourceSlice>({
  type: "io.k8s.api.resource.v1.ResourceSlice",
  deleteReturns: "object",
  validate: ({ spec }) => {
    const out: Errors = [];
    validateDriverName(out, "spec.driver", spec?.driver);
    validatePool(out, "spec.pool", spec?.pool ?? { name: "", generation: 0, resourceSliceCount: 0 });
    if (spec !== undefined) validateNodes(out, "spec", spec);
    if (spec?.sharedCounters !== undefined && spec.devices !== undefined) {
      out.push(field.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed"));
    }
    return out;
  },
  validateUpdate: ({ spec: next }, { spec: prev }) => {
    const out: Errors = [];
    immutable(out, "spec.pool.name", next?.pool?.name, prev?.pool?.name);
    immutable(out, "spec.driver", next?.driver, prev?.driver);
    immutable(out, "spec.nodeName", next?.nodeName, prev?.nodeName);
    return out;
  },
  warnings: ({ spec }) => {
    const driver = spec?.driver ?? "";
    if (driver === driver.toLowerCase()) return [];
    return [`spec.driver: driver names should be lowercase; ${goQuote(driver)} contains uppercase characters`];
  },
  selectableFields: ({ spec }) => ({ "spec.nodeName": spec?.nodeName ?? "", "spec.driver": spec?.driver ?? "" }),
  cells: ({ metadata, spec }, now) => [
    metadata?.name ?? "",
    spec?.nodeName ?? "",
    spec?.driver ?? "",
    spec?.pool?.name ?? "",
    ageCell(metadata?.creationTimestamp, now),
  ],
});

function validatePool(out: Errors, path: string, { name, resourceSliceCount, generation }: Readonly<ResourcePool>): void {
  validatePoolName(out, `${path}.name`, name);
  if (resourceSliceCount <= 0) out.push(field.invalid(`${path}.resourceSliceCount`, resourceSliceCount, "must be greater than zero"));
  if (generation < 0) out.push(field.invalid(`${path}.generation`, generation, "must be greater than or equal to zero"));
}

/** One way of saying from which Nodes the devices can be reached. */
function validateNodes(out: Errors, path: string, spec: Readonly<ResourceSliceSpec>): void {
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec;
  if (nodeName) refuse(out, `${path}.nodeName`, nodeName, isDns1123Subdomain(nodeName));
  else if (nodeName === "") out.push(field.invalid(`${path}.nodeName`, nodeName, "must be either unset or set to a non-empty string"));
  if (nodeSelector !== undefined && nodeSelector.nodeSelectorTerms.length !== 1) {
    const terms = nodeSelector.nodeSelectorTerms;
    out.push(field.invalid(`${path}.nodeSelector.nodeSelectorTerms`, terms, "must have exactly one node selector term"));
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
