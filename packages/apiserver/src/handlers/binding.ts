/**
 * Binding a Pod to a node: what a scheduler writes. A Pod is bound once; who comes second gets a conflict.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/binding-v1/
 */
import { conflict, field, invalid, type KubeObject, type Status } from "@coxswain/machinery";
import { cloneJson } from "../clone.ts";
import type { RequestContext } from "../context.ts";
import { decodeBody } from "../decode-body.ts";
import type { Reply } from "../http/exchange.ts";
import { parseWriteOptions } from "../options.ts";
import { setCondition } from "../registry/pod-condition.ts";
import { updateObject } from "../registry/update.ts";
import { replyStatus } from "../respond.ts";

interface Binding extends KubeObject {
  readonly target?: { readonly kind?: string; readonly name?: string };
}

/** POST of a Binding to `/pods/NAME/binding`, or to `/bindings` with the Pod's name in it. `ctx` is on pods. */
export async function bindPod(ctx: RequestContext): Promise<Reply> {
  const options = parseWriteOptions(ctx.query, "CreateOptions");
  const binding: Binding = await decodeBody(ctx, ctx.server.served.binding, options.fieldValidation);
  const name = ctx.info.subresource === "" ? (binding.metadata?.name ?? "") : ctx.info.name;
  check(binding, name);
  const named: RequestContext = { ...ctx, info: { ...ctx.info, name } };
  await updateObject(named, name, {
    part: "free",
    managed: (before) => before,
    dryRun: options.dryRun,
    next: (pod) => bound(pod, binding, name, ctx.server.clock.now()),
  });
  const status: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return replyStatus(status, ctx.representation);
}

function check(binding: Binding, name: string): void {
  const errors = [];
  const { kind = "", name: node = "" } = binding.target ?? {};
  if (kind !== "" && kind !== "Node") errors.push(field.notSupported("target.kind", kind, ["Node", "<empty>"]));
  if (node === "") errors.push(field.required("target.name"));
  if (errors.length > 0) throw invalid({ group: "", kind: "Binding" }, name, errors);
}

function bound(current: Readonly<KubeObject>, binding: Binding, name: string, now: number): KubeObject {
  const pod = cloneJson(current) as PodShape;
  const { uid, resourceVersion, annotations } = binding.metadata ?? {};
  if (uid !== undefined && uid !== "") pod.metadata.uid = uid;
  if (resourceVersion !== undefined && resourceVersion !== "") pod.metadata.resourceVersion = resourceVersion;
  const refused = (why: string) => conflict({ group: "", resource: "pods/binding" }, name, why);
  if (pod.metadata.deletionTimestamp !== undefined) throw refused(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec.nodeName) throw refused(`pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  if ((pod.spec.schedulingGates?.length ?? 0) > 0) throw refused(`pod ${name} has non-empty .spec.schedulingGates`);
  pod.spec.nodeName = binding.target?.name ?? "";
  if (annotations !== undefined) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  setCondition(pod, { type: "PodScheduled", status: "True" }, now);
  return pod;
}

interface PodShape extends KubeObject {
  metadata: NonNullable<KubeObject["metadata"]>;
  spec: { nodeName?: string; schedulingGates?: readonly unknown[] };
}
