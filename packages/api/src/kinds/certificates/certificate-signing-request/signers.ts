/**
 * What each of Kubernetes' own signers signs.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
 */
import { type Attribute, attributeTypes, type CertificateRequest, commonNameOf, valuesOf } from "@coxswain/pki";

type SigningRequest = Pick<CertificateRequest, "subject" | "names">;

/** Undefined when the request is one for this signer. The API refuses `kubernetes.io/legacy-unknown` at creation. */
type Rule = (request: SigningRequest, usages: readonly string[]) => string | undefined;

/** The signer of client certificates that the API server accepts. */
export const apiServerClientSigner = "kubernetes.io/kube-apiserver-client";

/** The signer of client certificates with which a kubelet is its Node. */
export const kubeletClientSigner = "kubernetes.io/kube-apiserver-client-kubelet";

const signers: ReadonlyMap<string, Rule> = new Map([
  [apiServerClientSigner, apiServerClientProblem],
  [kubeletClientSigner, kubeletClientProblem],
  ["kubernetes.io/kubelet-serving", kubeletServingProblem],
]);

/** The rule by which one of Kubernetes' own signers refuses a request; undefined for signers of others. */
export const ruleOf = (signerName: string): Rule | undefined => signers.get(signerName);

function apiServerClientProblem(_request: SigningRequest, usages: readonly string[]): string | undefined {
  const wrong = usages.find((usage) => !["digital signature", "key encipherment", "client auth"].includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}

function kubeletClientProblem({ subject, names }: SigningRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(subject)) return "subject organization is not system:nodes";
  if (names.dns.length > 0) return "DNS subjectAltNames are not allowed";
  if (names.email.length > 0) return "Email subjectAltNames are not allowed";
  if (names.ip.length > 0) return "IP subjectAltNames are not allowed";
  if (names.uri.length > 0) return "URI subjectAltNames are not allowed";
  return nodeNameProblem(subject) ?? usageProblem(usages, "client auth");
}

function kubeletServingProblem({ subject, names }: SigningRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(subject)) return "subject organization is not system:nodes";
  if (names.dns.length === 0 && names.ip.length === 0) return "DNS or IP subjectAltName is required";
  if (names.email.length > 0) return "Email subjectAltNames are not allowed";
  if (names.uri.length > 0) return "URI subjectAltNames are not allowed";
  return usageProblem(usages, "server auth") ?? nodeNameProblem(subject);
}

const organizationsOf = (subject: readonly Attribute[]): string[] => valuesOf(subject, attributeTypes.organization);

function isOfNodes(subject: readonly Attribute[]): boolean {
  const organizations = organizationsOf(subject);
  return organizations.length === 1 && organizations[0] === "system:nodes";
}

const nodeNameProblem = (subject: readonly Attribute[]): string | undefined =>
  commonNameOf(subject).startsWith("system:node:") ? undefined : "subject common name does not begin with system:node:";

/** Keys that are not RSA need no key encipherment. */
function usageProblem(usages: readonly string[], purpose: "client auth" | "server auth"): string | undefined {
  const rest = usages.filter((usage) => usage !== "key encipherment");
  const fits = rest.length === 2 && rest.includes("digital signature") && rest.includes(purpose);
  const all = ["digital signature", "key encipherment", purpose].sort();
  return fits ? undefined : `usages did not match [${all.join(" ")}]`;
}
