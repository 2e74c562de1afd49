/** Labels of Nodes that kubelets may not set. @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction */

/** Those of Kubernetes that a kubelet sets itself. */
const kubeletLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);

type Labels = Readonly<Record<string, string>>;

const isIn = (namespace: string, domain: string): boolean => namespace === domain || namespace.endsWith(`.${domain}`);

const namespaceOf = (label: string): string => (label.includes("/") ? label.slice(0, label.indexOf("/")) : "");

function isForbidden(label: string): boolean {
  const namespace = namespaceOf(label);
  if (isIn(namespace, "node-restriction.kubernetes.io")) return true;
  const isOfKubernetes = isIn(namespace, "kubernetes.io") || isIn(namespace, "k8s.io");
  const isOfKubelet = kubeletLabels.has(label) || isIn(namespace, "kubelet.kubernetes.io") || isIn(namespace, "node.kubernetes.io");
  return isOfKubernetes && !isOfKubelet;
}

/** Those that differ and may not, in order. */
export const forbiddenChanges = (after: Labels = {}, before: Labels = {}): readonly string[] =>
  [...new Set([...Object.keys(after), ...Object.keys(before)])]
    .filter((label) => after[label] !== before[label] && isForbidden(label))
    .sort();
