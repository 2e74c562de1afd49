/** Keeps the graph of the Node authorizer as the store is: a change counts before its write is answered. */
import type { coreV1, resourceV1, storageV1 } from "@coxswain/api";
import { DisposableStack, type KubeObject } from "@coxswain/machinery";
import type { NodeGraph, PodCertificateRequest } from "../authorization/node/node-graph.ts";
import { followResource } from "../storage/follow-resource.ts";
import type { ObjectReader } from "../storage/object-reader.ts";

/** Resolves once the graph has what is stored; it follows until it is disposed of. */
export async function followNodes(reader: ObjectReader, graph: NodeGraph): Promise<Disposable> {
  const stack = new DisposableStack();
  const core = (resource: string) => ({ group: "", version: "v1", resource });
  stack.use(await followResource<coreV1.Pod & KubeObject>(reader, core("pods"), (at, pod) => graph.setPod(at, pod)));
  stack.use(
    await followResource<coreV1.PersistentVolume & KubeObject>(reader, core("persistentvolumes"), (at, pv) => graph.setVolume(at, pv)),
  );
  const attachments = { group: "storage.k8s.io", version: "v1", resource: "volumeattachments" };
  stack.use(await followResource<storageV1.VolumeAttachment & KubeObject>(reader, attachments, (at, one) => graph.setAttachment(at, one)));
  const slices = { group: "resource.k8s.io", version: "v1", resource: "resourceslices" };
  stack.use(await followResource<resourceV1.ResourceSlice & KubeObject>(reader, slices, (at, one) => graph.setSlice(at, one)));
  const requests = { group: "certificates.k8s.io", version: "v1beta1", resource: "podcertificaterequests" };
  stack.use(await followResource<PodCertificateRequest & KubeObject>(reader, requests, (at, one) => graph.setCertificateRequest(at, one)));
  return stack;
}
