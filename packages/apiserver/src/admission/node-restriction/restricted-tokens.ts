/** For whom a kubelet may ask for tokens: for Pods of its node, and for the audiences that those name. */
import type { authenticationV1, coreV1, storageV1 } from "@coxswain/api";
import { type KubeObject, notFound } from "@coxswain/machinery";
import type { AdmissionRequest } from "../../contracts/admission.ts";
import type { Authorizer } from "../../contracts/authorizer.ts";
import { type ObjectReader, readObject } from "../../storage/object-reader.ts";
import { refused } from "../refused.ts";

type Pod = Readonly<coreV1.Pod & KubeObject>;

export interface TokenServices extends ObjectReader {
  readonly authorize: Authorizer;
}

const pods = { group: "", version: "v1", resource: "pods" };

/** @throws forbidden() in Kubernetes' words, notFound() */
export async function restrictToken(services: TokenServices, request: AdmissionRequest, node: string): Promise<void> {
  const { spec } = request.object as authenticationV1.TokenRequest & KubeObject;
  const { apiVersion, kind, name = "", uid = "" } = spec?.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || name === "") throw refused(request, "node requested token not bound to a pod");
  if (uid === "") throw refused(request, "node requested token with a pod binding without a uid");
  const pod = await readObject<Pod>(services, pods, request.namespace, name);
  if (pod === undefined) throw notFound({ group: "", resource: "pod" }, name);
  if (uid !== pod.metadata?.uid)
    throw refused(
      request,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (pod.spec?.nodeName !== node) throw refused(request, "node requested token bound to a pod scheduled on a different node");
  await checkAudience(services, request, pod, spec?.audiences ?? []);
}

/** @see https://kep.k8s.io/4832 */
async function checkAudience(services: TokenServices, request: AdmissionRequest, pod: Pod, audiences: readonly string[]): Promise<void> {
  if (audiences.length > 1) throw refused(request, "node may only request 0 or 1 audiences");
  const [audience = ""] = audiences;
  for (const volume of pod.spec?.volumes ?? []) if (await hasAudience(services, pod, volume, audience)) return;
  const { user, namespace, name } = request;
  const verb = "request-serviceaccounts-token-audience";
  const asked = { kind: "resource", user, verb, group: "", version: "v1", resource: audience, subresource: "", namespace, name } as const;
  if ((await services.authorize(asked)).kind === "allow") return;
  throw refused(
    request,
    `audience "${audience}" not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`,
  );
}

async function hasAudience(
  reader: ObjectReader,
  { metadata: { namespace = "", name: podName = "" } = {} }: Pod,
  { name, projected, csi, persistentVolumeClaim, ephemeral }: coreV1.Volume,
  audience: string,
): Promise<boolean> {
  if (projected?.sources?.some(({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? "") === audience)) return true;
  const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${podName}-${name}`);
  const driver = csi?.driver ?? (claim === undefined ? undefined : await driverOf(reader, namespace, claim));
  if (driver === undefined) return false;
  const drivers = { group: "storage.k8s.io", version: "v1", resource: "csidrivers" };
  const found = await readObject<storageV1.CSIDriver & KubeObject>(reader, drivers, "", driver);
  return found?.spec?.tokenRequests?.some((token) => token.audience === audience) === true;
}

async function driverOf(reader: ObjectReader, namespace: string, name: string): Promise<string | undefined> {
  const core = (resource: string) => ({ group: "", version: "v1", resource });
  const claim = await readObject<coreV1.PersistentVolumeClaim & KubeObject>(reader, core("persistentvolumeclaims"), namespace, name);
  const { volumeName = "" } = claim?.spec ?? {};
  if (volumeName === "") return undefined;
  const volume = await readObject<coreV1.PersistentVolume & KubeObject>(reader, core("persistentvolumes"), "", volumeName);
  return volume?.spec?.csi?.driver;
}
