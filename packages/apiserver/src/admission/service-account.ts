/**
 * Gives every Pod an identity: a service account that is there, its image pull secrets, and a token for the API.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#serviceaccount-admission-controller
 */
import { type coreV1, secretNames } from "@coxswain/api";
import { type Clock, notFound, type RandomSource, sleep } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import { generateName } from "../registry/metadata.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";
import { checkEphemeralSecrets, checkSecrets } from "./mountable-secrets.ts";
import { refused } from "./refused.ts";

type Pod = coreV1.Pod;
type ServiceAccount = Readonly<coreV1.ServiceAccount>;

interface ServiceAccountServices extends ObjectReader {
  readonly clock: Clock;
  readonly random: RandomSource;
}

const serviceAccounts = { group: "", version: "v1", resource: "serviceaccounts" };
const defaultName = "default";
const volumeName = "kube-api-access";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const mirrorAnnotation = "kubernetes.io/config.mirror";
/** The account that a controller makes in each new Namespace may be a moment late. */
const attemptsForDefault = 10;
const minRetryMs = 100;
/** An hour, and a little by which the API server knows that it may let the token live on. */
const expirationSeconds = 3607;

export const serviceAccount: AdmissionPluginFactory<ServiceAccountServices> = {
  name: "ServiceAccount",
  /** It needs a controller that makes the accounts: a server alone does without it, as in Kubernetes' own test environment. */
  offByDefault: true,
  create: (services) => ({
    handles: ({ operation, resource, subresource, object }) =>
      resource.definition.kind === "Pod" &&
      resource.definition.group === "" &&
      object !== undefined &&
      ((operation === "create" && subresource === "") || (operation === "update" && subresource === "ephemeralcontainers")),
    async mutate(request) {
      const pod = request.object as Pod;
      if (request.operation !== "create" || pod.spec === undefined) return;
      // A kubelet deletes a mirror Pod that is not what it asked for.
      if (isMirror(pod)) return checkMirror(request, pod);
      pod.spec.serviceAccountName ||= defaultName;
      pod.spec.serviceAccount = pod.spec.serviceAccountName;
      const account = await accountOf(services, request, pod.spec.serviceAccountName);
      if (pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(services.random, pod.spec);
      const pullSecrets = account.imagePullSecrets ?? [];
      if ((pod.spec.imagePullSecrets ?? []).length === 0 && pullSecrets.length > 0)
        pod.spec.imagePullSecrets = pullSecrets.map(({ name }) => (name === undefined ? {} : { name }));
      limitSecrets(request, pod, account);
    },
    async validate(request) {
      const pod = request.object as Pod;
      if (request.operation === "create" && isMirror(pod)) return checkMirror(request, pod);
      const name = pod.spec?.serviceAccountName ?? "";
      if (name === "") throw refused(request, `no service account specified for pod ${request.namespace}/${pod.metadata?.name ?? ""}`);
      limitSecrets(request, pod, await accountOf(services, request, name));
    },
  }),
};

const isMirror = ({ metadata }: Pod): boolean => metadata?.annotations?.[mirrorAnnotation] !== undefined;

function checkMirror(request: AdmissionRequest, { spec }: Pod): void {
  if (spec === undefined) return;
  if ((spec.serviceAccountName ?? "") !== "") throw refused(request, "a mirror pod may not reference service accounts");
  if (secretNames(spec).length > 0) throw refused(request, "a mirror pod may not reference secrets");
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some((source) => source.serviceAccountToken !== undefined))
    throw refused(request, "a mirror pod may not use ServiceAccountToken volume projections");
}

async function accountOf(services: ServiceAccountServices, request: AdmissionRequest, name: string): Promise<ServiceAccount> {
  const { clock, random } = services;
  const { namespace } = request;
  const retryMs = minRetryMs * (1 + random.next());
  const attempts = name === defaultName ? attemptsForDefault : 1;
  for (let attempt = 1; ; attempt++) {
    const account = await readObject<coreV1.ServiceAccount>(services, serviceAccounts, namespace, name);
    if (account !== undefined) return account;
    if (attempt < attempts) await sleep(clock, retryMs);
    else {
      const { message } = notFound({ group: "", resource: "serviceaccount" }, name);
      throw refused(request, `error looking up service account ${namespace}/${name}: ${message}`);
    }
  }
}

function limitSecrets(request: AdmissionRequest, { spec }: Pod, account: ServiceAccount): void {
  const enforced = account.metadata?.annotations?.["kubernetes.io/enforce-mountable-secrets"] ?? "";
  if (spec === undefined || !/^(1|t|T|TRUE|true|True)$/.test(enforced)) return;
  const problem = request.operation === "create" ? checkSecrets(spec, account) : checkEphemeralSecrets(spec, account);
  if (problem !== undefined) throw refused(request, problem);
}

/** A container that has something else at its place gets none. */
function mountToken(random: RandomSource, spec: coreV1.PodSpec): void {
  const existing = spec.volumes?.find(({ name }) => name.startsWith(`${volumeName}-`));
  const name = existing?.name ?? generateName(`${volumeName}-`, random);
  const lacking = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(
    ({ volumeMounts = [] }) => !volumeMounts.some((mount) => mount.mountPath === mountPath),
  );
  for (const container of lacking) container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }];
  if (existing === undefined && lacking.length > 0) spec.volumes = [...(spec.volumes ?? []), { name, projected: tokenSource() }];
}

const tokenSource = (): coreV1.ProjectedVolumeSource => ({
  sources: [
    { serviceAccountToken: { expirationSeconds, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    { downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] } },
  ],
  defaultMode: 0o644,
});
