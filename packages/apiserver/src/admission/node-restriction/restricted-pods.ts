/** What a kubelet may do to Pods: make and delete mirror Pods of its own node, say how those on it are, and evict them. */
import type { coreV1 } from "@coxswain/api";
import { deepEqual, type KubeObject, notFound } from "@coxswain/machinery";
import type { AdmissionRequest } from "../../contracts/admission.ts";
import { type ObjectReader, readObject } from "../../storage/object-reader.ts";
import { refused } from "../refused.ts";
import { apiReference } from "./api-references.ts";

type Pod = Readonly<coreV1.Pod & KubeObject>;

const mirror = "kubernetes.io/config.mirror";
const pods = { group: "", version: "v1", resource: "pods" };
const nodes = { group: "", version: "v1", resource: "nodes" };

/** @throws forbidden() in Kubernetes' words, notFound() */
export async function restrictPod(reader: ObjectReader, request: AdmissionRequest, node: string): Promise<void> {
  const { operation, subresource } = request;
  if (subresource === "status") return restrictStatus(request, node);
  if (subresource === "eviction") return await restrictEviction(reader, request, node);
  if (subresource !== "") throw refused(request, `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`);
  if (operation === "create") return await restrictCreate(reader, request, node);
  if (operation !== "delete")
    throw refused(request, `unexpected operation "${operation.toUpperCase()}", node "${node}" can only create and delete mirror pods`);
  if ((request.previous as Pod | undefined)?.spec?.nodeName !== node)
    throw refused(request, `node "${node}" can only delete pods with spec.nodeName set to itself`);
}

async function restrictCreate(reader: ObjectReader, request: AdmissionRequest, node: string): Promise<void> {
  const { metadata, spec = { containers: [] } } = request.object as Pod;
  if (metadata?.annotations?.[mirror] === undefined)
    throw refused(request, `pod does not have "${mirror}" annotation, node "${node}" can only create mirror pods`);
  if (spec.nodeName !== node) throw refused(request, `node "${node}" can only create pods with spec.nodeName set to itself`);
  const [owner, ...more] = metadata.ownerReferences ?? [];
  if (more.length > 0) throw refused(request, `node "${node}" can only create pods with a single owner reference set to itself`);
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    throw refused(request, `node "${node}" can only create pods with an owner reference set to itself`);
  if (owner.controller !== true)
    throw refused(request, `node "${node}" can only create pods with a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion === true) throw refused(request, `node "${node}" must not set blockOwnerDeletion on an owner reference`);
  const found = await readObject(reader, nodes, "", node);
  if (found === undefined) throw notFound({ group: "", resource: "node" }, node);
  if (owner.uid !== found.metadata?.uid)
    throw refused(request, `node ${node} UID mismatch: expected ${owner.uid} got ${found.metadata?.uid}`);
  const named = apiReference(spec);
  if (named !== undefined) throw refused(request, `node "${node}" can not create pods that reference ${named}`);
}

function restrictStatus(request: AdmissionRequest, node: string): void {
  const before = request.previous as Pod | undefined;
  const after = request.object as Pod;
  if (before?.spec?.nodeName !== node)
    throw refused(request, `node "${node}" can only update pod status for pods with spec.nodeName set to itself`);
  if (!deepEqual(before.metadata?.labels ?? {}, after.metadata?.labels ?? {}))
    throw refused(request, `node "${node}" cannot update labels through pod status`);
  if (!deepEqual(claimsOf(before), claimsOf(after))) throw refused(request, `node "${node}" cannot update resource claim statues`);
  if (!deepEqual(before.status?.extendedResourceClaimStatus, after.status?.extendedResourceClaimStatus))
    throw refused(request, `node "${node}" cannot update extended resource claim status`);
}

const claimsOf = ({ status }: Pod) => (status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName]);

async function restrictEviction(reader: ObjectReader, request: AdmissionRequest, node: string): Promise<void> {
  const name = request.name || (request.object?.metadata?.name ?? "");
  const pod = await readObject<Pod>(reader, pods, request.namespace, name);
  if (pod === undefined) throw notFound({ group: "", resource: "pod" }, name);
  if (pod.spec?.nodeName !== node) throw refused(request, `node ${node} can only evict pods with spec.nodeName set to itself`);
}
