import { deepEqual, field } from "@coxswain/machinery";
import { ageCell } from "../../age.ts";
import { defineKind } from "../../kind.ts";
import { type Errors, immutable, requiredText } from "../../pod/checks.ts";
import type { ResourceClaim, ResourceClaimConsumerReference } from "../../types/resource-v1.ts";
import { defaultDeviceClaim, refuseTooMany, validateDeviceClaim } from "./device-claim.ts";

const maxConsumers = 256;

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ */
export const resourceClaim = defineKind<ResourceClaim>({
  type: "io.k8s.api.resource.v1.ResourceClaim",
  deleteReturns: "object",
  generation: "never",
  defaults({ spec, status }) {
    defaultDeviceClaim(spec?.devices ?? {});
    for (const { tolerations = [] } of status?.allocation?.devices?.results ?? []) {
      for (const toleration of tolerations) toleration.operator ||= "Equal";
    }
  },
  prepareForCreate(obj) {
    obj.status = {};
  },
  /** Reports on devices go with the allocation. */
  prepareForStatusUpdate(next, prev) {
    const { status } = next;
    if (status === undefined || status.allocation !== undefined || prev.status?.allocation === undefined) return;
    if (deepEqual(status.devices, prev.status.devices)) delete status.devices;
  },
  validate: ({ spec }) => {
    const out: Errors = [];
    validateDeviceClaim(out, "spec.devices", spec?.devices ?? {});
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    immutable(out, "spec", next.spec, prev.spec);
    return out;
  },
  validateStatusUpdate: (next, prev) => {
    const out: Errors = [];
    const { allocation, reservedFor = [] } = next.status ?? {};
    validateConsumers(out, "status.reservedFor", reservedFor);
    if (reservedFor.length > 0 && allocation === undefined) {
      out.push(field.forbidden("status.reservedFor", "may not be specified when `allocated` is not set"));
    } else if (next.metadata?.deletionTimestamp && reservedFor.some((consumer) => !reserves(prev, consumer))) {
      const why = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
      out.push(field.forbidden("status.reservedFor", why));
    }
    const before = prev.status?.allocation;
    if (before !== undefined && allocation !== undefined) immutable(out, "status.allocation", allocation, before);
    return out;
  },
  cells: (obj, now) => [obj.metadata?.name ?? "", stateOf(obj), ageCell(obj.metadata?.creationTimestamp, now)],
});

const reserves = ({ status }: Readonly<ResourceClaim>, consumer: ResourceClaimConsumerReference): boolean =>
  status?.reservedFor?.some((known) => deepEqual(known, consumer)) ?? false;

function validateConsumers(out: Errors, path: string, consumers: readonly ResourceClaimConsumerReference[]): void {
  refuseTooMany(out, path, consumers, maxConsumers);
  const uids = new Set<string>();
  for (const [i, { resource, name, uid }] of consumers.entries()) {
    requiredText(out, `${path}[${i}].resource`, resource);
    requiredText(out, `${path}[${i}].name`, name);
    requiredText(out, `${path}[${i}].uid`, uid);
    if (uids.has(uid)) out.push(field.duplicate(`${path}[${i}]`, uid));
    uids.add(uid);
  }
}

function stateOf({ metadata, status }: Readonly<ResourceClaim>): string {
  const deleted = Boolean(metadata?.deletionTimestamp);
  const states = deleted ? ["deleted"] : [];
  if (status?.allocation === undefined) {
    if (!deleted) states.push("pending");
  } else states.push("allocated", ...(status.reservedFor?.length ? ["reserved"] : []));
  return states.join(",");
}
