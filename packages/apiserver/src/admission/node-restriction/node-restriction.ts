/**
 * Limits kubelets to what is their own node's: the Node authorizer sees no objects.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
 */
import type { certificatesV1, coreV1, resourceV1 } from "@coxswain/api";
import { deepEqual, type KubeObject } from "@coxswain/machinery";
import { commonNameOf, DerError, readCertificateRequest, requestInPem } from "@coxswain/pki";
import { nodeOf } from "../../authorization/node/node-identity.ts";
import type { AdmissionPluginFactory, AdmissionRequest } from "../../contracts/admission.ts";
import type { ObjectReader } from "../../storage/object-reader.ts";
import { refused } from "../refused.ts";
import { forbiddenChanges } from "./node-labels.ts";
import { restrictPod } from "./restricted-pods.ts";
import { restrictToken, type TokenServices } from "./restricted-tokens.ts";

type Restriction = (services: TokenServices, request: AdmissionRequest, node: string) => void | Promise<void>;

export const nodeRestriction: AdmissionPluginFactory<TokenServices> = {
  name: "NodeRestriction",
  create: (services) => ({
    handles: ({ operation, user }) => operation !== "connect" && nodeOf(user) !== undefined,
    mutate(request) {
      const node = nodeOf(request.user) ?? "";
      if (node === "") throw refused(request, `could not determine node from user "${request.user.name}"`);
      const { group, resource } = request.resource.definition;
      return restrictions.get(`${resource}.${group}`)?.(services, request, node);
    },
  }),
};

const restrictNode: Restriction = (_services, request, node) => {
  const { operation, name, object, previous } = request;
  if (name !== node) throw refused(request, `node "${node}" is not allowed to modify node "${name}"`);
  if (operation === "delete") return;
  const [after, before] = [object as coreV1.Node & KubeObject, previous as (coreV1.Node & KubeObject) | undefined];
  const source = after.spec?.configSource;
  const labels = forbiddenChanges(after.metadata?.labels, before?.metadata?.labels).join(", ");
  if (before === undefined) {
    if (source !== undefined) throw refused(request, `node "${node}" is not allowed to create pods with a non-nil configSource`);
    if (labels !== "") throw refused(request, `node "${node}" is not allowed to set the following labels: ${labels}`);
    return;
  }
  if (source !== undefined && !deepEqual(source, before.spec?.configSource))
    throw refused(request, `node "${node}" is not allowed to update configSource to a new non-nil configSource`);
  if (!deepEqual(after.spec?.taints ?? [], before.spec?.taints ?? []))
    throw refused(request, `node "${node}" is not allowed to modify taints`);
  if (!deepEqual(after.metadata?.ownerReferences ?? [], before.metadata?.ownerReferences ?? []))
    throw refused(request, `node "${node}" is not allowed to modify ownerReferences`);
  if (labels !== "") throw refused(request, `is not allowed to modify labels: ${labels}`);
};

const restrictClaim: Restriction = (_services, request, node) => {
  if (request.subresource !== "status") throw refused(request, "may only update PVC status");
  if (!deepEqual(withoutOwn(request.previous), withoutOwn(request.object)))
    throw refused(request, `node "${node}" is not allowed to update fields other than status.quantity and status.conditions`);
};

/** Without what a kubelet says of a claim, and without what every write changes. */
function withoutOwn(object: Readonly<KubeObject> | undefined) {
  const { metadata, status, ...rest } = (object ?? {}) as coreV1.PersistentVolumeClaim & KubeObject;
  const { resourceVersion: _version, managedFields: _managed, ...others } = metadata ?? {};
  const {
    capacity: _capacity,
    conditions: _conditions,
    allocatedResources: _amounts,
    allocatedResourceStatuses: _states,
    ...said
  } = status ?? {};
  return { ...rest, metadata: others, status: said };
}

const restrictAccount: Restriction = (services, request, node) =>
  request.operation === "create" && request.subresource === "token" ? restrictToken(services, request, node) : undefined;

const leaseNamespace = "kube-node-lease";

const restrictLease: Restriction = (_services, request, node) => {
  if (request.namespace !== leaseNamespace) throw refused(request, `can only access leases in the "${leaseNamespace}" system namespace`);
  if (nameOf(request) !== node) throw refused(request, "can only access node lease with the same name as the requesting node");
};

const restrictCsiNode: Restriction = (_services, request, node) => {
  if (nameOf(request) !== node) throw refused(request, "can only access CSINode with the same name as the requesting node");
};

const nameOf = ({ operation, object, name }: AdmissionRequest): string => (operation === "create" ? (object?.metadata?.name ?? "") : name);

const restrictSlice: Restriction = (_services, request, node) => {
  const { operation, object, previous } = request;
  if (operation !== "create" && operation !== "delete") return;
  const { spec } = ((operation === "create" ? object : previous) ?? {}) as resourceV1.ResourceSlice;
  if (spec?.nodeName !== node) throw refused(request, `can only ${operation} ResourceSlice with the same NodeName as the requesting node`);
};

const kubeletSigners: ReadonlySet<string | undefined> = new Set([
  "kubernetes.io/kubelet-serving",
  "kubernetes.io/kube-apiserver-client-kubelet",
]);

const restrictSigningRequest: Restriction = (_services, request, node) => {
  const { spec } = (request.object ?? {}) as certificatesV1.CertificateSigningRequest;
  if (request.operation !== "create" || !kubeletSigners.has(spec?.signerName)) return;
  if (commonName(request, spec?.request ?? "") !== `system:node:${node}`)
    throw refused(request, `can only create a node CSR with CN=system:node:${node}`);
};

/** Undefined for a subject without one. @throws forbidden() for what cannot be read */
function commonName(request: AdmissionRequest, base64: string): string | undefined {
  const body = requestInPem(Buffer.from(base64, "base64").toString("latin1"));
  if (body === undefined) throw refused(request, "unable to parse csr: PEM block type must be CERTIFICATE REQUEST");
  try {
    return commonNameOf(readCertificateRequest(Buffer.from(body, "base64")).subject);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw refused(request, `unable to parse csr: ${error.message}`);
  }
}

const restrictions: ReadonlyMap<string, Restriction> = new Map<string, Restriction>([
  ["pods.", (services: ObjectReader, request, node) => restrictPod(services, request, node)],
  ["nodes.", restrictNode],
  ["persistentvolumeclaims.", restrictClaim],
  ["serviceaccounts.", restrictAccount],
  ["leases.coordination.k8s.io", restrictLease],
  ["csinodes.storage.k8s.io", restrictCsiNode],
  ["resourceslices.resource.k8s.io", restrictSlice],
  ["certificatesigningrequests.certificates.k8s.io", restrictSigningRequest],
]);
