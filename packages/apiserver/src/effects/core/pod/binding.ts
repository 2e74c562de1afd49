/**
 * Binding a Pod to a node: what a scheduler writes. A Pod is bound once; who comes second gets a conflict.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/binding-v1/
 */

import { badRequest, conflict, type FieldError, field, type KubeObject, type Status, unexplained } from "@coxswain/machinery";
import { auditRequestObject } from "../../../audit/request-object.ts";
import type { Reply } from "../../../contracts/http.ts";
import type { RequestContext } from "../../../contracts/request-context.ts";
import type { ServedResource } from "../../../contracts/served-resource.ts";
import type { ResourceEffect, SubresourceEffect } from "../../../handlers/effect.ts";
import { preconditionConflict, settleNamespace } from "../../../registry/metadata.ts";
import { type IntendedChange, staleWrite } from "../../../registry/stale-write.ts";
import { parseWriteOptions } from "../../../request/options.ts";
import { replyStatus } from "../../../responsewriters/encode.ts";
import { cloneJson } from "../../../storage/clone-json.ts";
import { keyOf, servedSubresource } from "../../../storage/served-resource.ts";
import { admitSubresource } from "../../admit-subresource.ts";
import type { EffectServices } from "../../services.ts";
import { setCondition } from "./pod-condition.ts";

interface Binding extends KubeObject {
  readonly target?: { readonly kind?: string; readonly name?: string };
}

type BindingServices = Pick<EffectServices, "registry" | "rest" | "admission" | "clock">;

/** POST of a Binding to `/pods/NAME/binding`. */
export const podBinding: SubresourceEffect<BindingServices> = {
  on: "/pods/binding",
  answers: "result",
  create: (services) => (ctx) => bindPod(services, ctx),
};

/** POST of a Binding to `/bindings`, with the Pod's name in it. */
export const bindings: ResourceEffect<BindingServices & Pick<EffectServices, "reader">> = {
  on: "/bindings",
  verbs: "create",
  create:
    ({ reader, ...services }) =>
    (ctx) => {
      const pods = reader.served.find("", "v1", "pods");
      return bindPod(services, ctx, pods ?? ctx.resource);
    },
};

const bindingResource = servedSubresource({ group: "", version: "v1", resource: "bindings", kind: "Binding" });

/** `pods`: the resource of what is bound, where the request is not on it. */
async function bindPod(
  { registry, rest, admission, clock }: BindingServices,
  asked: RequestContext,
  pods: ServedResource = asked.resource,
): Promise<Reply> {
  const ctx: RequestContext = asked.resource === pods ? asked : { ...asked, resource: pods };
  const options = parseWriteOptions(ctx.query, "CreateOptions");
  const binding: Binding = await rest.decoder.decode(ctx, bindingResource, options.fieldValidation);
  auditRequestObject(ctx.audit, binding);
  settleNamespace(binding, ctx.resource, ctx.info.namespace);
  const { name = "" } = binding.metadata ?? {};
  if (ctx.info.subresource !== "" && name !== ctx.info.name) throw badRequest("name in URL does not match name in Binding object");
  const named: RequestContext = { ...ctx, info: { ...ctx.info, name, subresource: "binding" } };
  await admitSubresource(admission, { ...asked, info: { ...asked.info, name } }, binding, options.dryRun);
  check(binding);
  await registry.update(named, name, {
    part: "free",
    admitted: "nothing",
    // Kubernetes writes bindings without field management: what they set has no manager.
    managed: (before) => before,
    dryRun: options.dryRun,
    next: (pod) => bound({ ctx: named, binding, now: clock.now() }, pod),
  });
  const status: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return replyStatus(status, ctx.representation);
}

/** @throws the bare 500 with which Kubernetes answers a Binding without a proper target */
function check({ target = {} }: Binding): void {
  const errors: FieldError[] = [];
  const { kind = "", name = "" } = target;
  if (kind !== "" && kind !== "Node") errors.push(field.notSupported("target.kind", kind, ["Node", "<empty>"]));
  if (name === "") errors.push(field.required("target.name"));
  if (errors.length > 0) throw unexplained(field.formatFieldErrors(errors));
}

interface PodBinding {
  readonly ctx: RequestContext;
  readonly binding: Binding;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

function bound(podBinding: PodBinding, current: Readonly<KubeObject>): KubeObject {
  const { ctx, binding, now } = podBinding;
  const { name } = ctx.info;
  checkPreconditions(podBinding, current);
  const pod = cloneJson(current) as PodShape;
  const refused = (why: string) => conflict({ group: "", resource: "pods/binding" }, name, why);
  if (pod.metadata.deletionTimestamp !== undefined) throw refused(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec.nodeName) throw refused(`pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  if ((pod.spec.schedulingGates?.length ?? 0) > 0) throw refused(`pod ${name} has non-empty .spec.schedulingGates`);
  pod.spec.nodeName = binding.target?.name ?? "";
  const { annotations, labels } = binding.metadata ?? {};
  if (annotations !== undefined) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  if (labels !== undefined) pod.metadata.labels = { ...pod.metadata.labels, ...labels };
  // From now on the node name says where it runs.
  if (pod.status !== undefined) delete pod.status.nominatedNodeName;
  setCondition(pod, { type: "PodScheduled", status: "True" }, now);
  return pod;
}

/** The Binding's uid and resourceVersion are those of the Pod that the scheduler saw. */
function checkPreconditions(podBinding: PodBinding, current: Readonly<KubeObject>): void {
  const { ctx, binding } = podBinding;
  const { resource, info } = ctx;
  const { uid = "", resourceVersion = "" } = current.metadata ?? {};
  const { uid: asked, resourceVersion: readAt } = binding.metadata ?? {};
  const key = keyOf(resource, info.namespace, info.name);
  const found = { resource, found: current };
  if (asked && asked !== uid)
    throw staleWrite(preconditionConflict(resource, key, info.name, { what: "UID", asked, actual: uid }), { ...found, names: "uid" });
  if (readAt && readAt !== resourceVersion) {
    const intended: IntendedChange = { compare: (read) => [read, bound(podBinding, read)] };
    const error = preconditionConflict(resource, key, info.name, { what: "ResourceVersion", asked: readAt, actual: resourceVersion });
    throw staleWrite(error, { ...found, names: "version", readAt, intended });
  }
}

interface PodShape extends KubeObject {
  metadata: NonNullable<KubeObject["metadata"]>;
  spec: { nodeName?: string; schedulingGates?: readonly unknown[] };
  status?: { nominatedNodeName?: string };
}
