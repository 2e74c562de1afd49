/** What a user sees of the controllers through kubectl: all of it was compared with what a cluster shows. */
import type { Step } from "../conformance/kubectl/steps.ts";

export interface ControllerStep extends Step {
  /** Again until it shows this: nothing that kubectl could wait for says when. */
  readonly eventually?: true;
}

/**
 * All of these lines, in any order: kubectl sorts events by seconds. Between words there is any space; `*` is any word,
 * `AGE` what stands for the age of an event.
 */
const shows = (...lines: readonly string[]): RegExp =>
  new RegExp(lines.map((line) => `(?=[^]*^[ \\t]*${pattern(line)}[ \\t]*$)`).join(""), "m");

const pattern = (line: string): string =>
  line
    .split(/ +/)
    .map((word) => (word === "AGE" ? "\\S+(?: \\(x\\d+ over \\S+\\))?" : RegExp.escape(word).replaceAll("\\*", "\\S+")))
    .join("[ \\t]+");

const rollsOut: ControllerStep = { run: "rollout status deployment/web", prints: /deployment "web" successfully rolled out$/ };
const deleted = (what: string) => new RegExp(`^${RegExp.escape(what)} deleted`);

/** With every kubectl, each in a namespace of its own. */
export const core: readonly ControllerStep[] = [
  { run: "create deployment web --image=nginx --replicas=3 --port=80", prints: "deployment.apps/web created" },
  rollsOut,
  { run: "set image deployment/web nginx=nginx:2", prints: "deployment.apps/web image updated" },
  rollsOut,
  { run: "rollout undo deployment/web", prints: "deployment.apps/web rolled back" },
  rollsOut,
  { run: "rollout restart deployment/web", prints: "deployment.apps/web restarted" },
  rollsOut,
  { run: "rollout history deployment/web", prints: shows("REVISION CHANGE-CAUSE", "2 <none>", "3 <none>", "4 <none>") },
  { run: "scale deployment/web --replicas=2", prints: "deployment.apps/web scaled" },
  rollsOut,
  { run: "expose deployment web --port=80", prints: "service/web exposed" },
  { run: "get endpointslices -l kubernetes.io/service-name=web --no-headers", prints: shows("web-* IPv4 80 *,* *"), eventually: true },
  { run: "get endpoints web --no-headers", prints: shows("web *:80,*:80 *"), eventually: true },
  { run: "autoscale deployment web --min=2 --max=5 --cpu-percent=80", prints: "horizontalpodautoscaler.autoscaling/web autoscaled" },
  { run: "create job once --image=perl", prints: "job.batch/once created" },
  { run: "wait --for=condition=complete job/once", prints: "job.batch/once condition met" },
  { run: ["create", "cronjob", "nightly", "--image=perl", "--schedule=0 3 1 1 *"], prints: "cronjob.batch/nightly created" },
  { run: "create job by-hand --from=cronjob/nightly", prints: "job.batch/by-hand created" },
  { run: "wait --for=condition=complete job/by-hand", prints: "job.batch/by-hand condition met" },
  { run: "delete cronjob nightly --cascade=foreground", prints: deleted('cronjob.batch "nightly"') },
  { run: "get jobs -o name", prints: "job.batch/once" },
  { run: "delete deployment web --cascade=orphan", prints: deleted('deployment.apps "web"') },
  { run: "get replicasets -o jsonpath={.items[*].metadata.ownerReferences}{.items[*].metadata.finalizers}", prints: "" },
  { run: "get pods -l app=web --no-headers", prints: /^(web-\S+ +1\/1 +Running .*\n?){2}$/ },
  { run: "delete replicasets -l app=web --cascade=background", prints: /^(replicaset\.apps "web-\w+" deleted.*\n?){3}$/ },
  { run: "get pods -l app=web", prints: "", complains: /^No resources found/, eventually: true },
];

const template = (app: string, more = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image: "nginx:1" }], ...more },
});
const set = (kind: string, name: string, spec: object) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, template: template(name), ...spec },
});
const job = (name: string, spec: object, annotations = {}) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: { template: { metadata: { annotations }, spec: template(name, { restartPolicy: "Never" }).spec }, ...spec },
});
const list = (...items: readonly object[]): string => JSON.stringify({ apiVersion: "v1", kind: "List", items });

const workloads = list(
  job("count", { completions: 3, parallelism: 2 }),
  job("failing", { backoffLimit: 0 }, { "simulated.coxswain/exit-code": "3" }),
  set("StatefulSet", "db", { serviceName: "db", replicas: 3 }),
  set("DaemonSet", "agent", {}),
  set("Deployment", "web", { replicas: 3 }),
);

const noMetrics = "failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API";

const setUp: readonly ControllerStep[] = [
  { run: "get serviceaccounts,configmaps -o name", prints: "serviceaccount/default\nconfigmap/kube-root-ca.crt", eventually: true },
  { run: "describe configmap kube-root-ca.crt", prints: shows("ca.crt:", "-----BEGIN CERTIFICATE-----") },
  { run: "create serviceaccount robot", prints: "serviceaccount/robot created" },
  { run: "create -f -", stdin: workloads, prints: /statefulset\.apps\/db created\ndaemonset\.apps\/agent created/ },
  { run: "autoscale deployment web --min=2 --max=5 --cpu-percent=80" },
  { run: "create poddisruptionbudget web --selector=app=web --min-available=2" },
  { run: "create quota few --hard=pods=30,count/configmaps=10" },
];

const sets: readonly ControllerStep[] = [
  { run: "rollout status statefulset/db", prints: /partitioned roll out complete: 3 new pods have been updated\.\.\.$/ },
  { run: "rollout status daemonset/agent", prints: /daemon set "agent" successfully rolled out$/ },
  {
    run: "describe statefulset db",
    prints: shows(
      "Replicas: 3 desired | 3 total",
      "Pods Status: 3 Running / 0 Waiting / 0 Succeeded / 0 Failed",
      ...["db-0", "db-1", "db-2"].map(
        (pod) => `Normal SuccessfulCreate AGE statefulset-controller Create Pod ${pod} in StatefulSet db successful`,
      ),
    ),
    eventually: true,
  },
  { run: "set image statefulset/db c=nginx:2" },
  { run: "set image daemonset/agent c=nginx:2" },
  { run: "rollout status statefulset/db", prints: /partitioned roll out complete: 3 new pods have been updated\.\.\.$/ },
  { run: "rollout status daemonset/agent", prints: /daemon set "agent" successfully rolled out$/ },
  { run: "rollout history statefulset/db --revision=1", prints: shows("statefulset.apps/db with revision #1", "Image: nginx:1") },
  { run: "rollout undo statefulset/db", prints: "statefulset.apps/db rolled back" },
  { run: "rollout undo daemonset/agent", prints: "daemonset.apps/agent rolled back" },
  { run: "rollout status statefulset/db" },
  { run: "rollout status daemonset/agent" },
  { run: "rollout history statefulset/db", prints: "statefulset.apps/db \nREVISION  CHANGE-CAUSE\n2         <none>\n3         <none>" },
  { run: "rollout history daemonset/agent", prints: "daemonset.apps/agent \nREVISION  CHANGE-CAUSE\n2         <none>\n3         <none>" },
  { run: "get pods -l app=db -o jsonpath={..image}", prints: /^(nginx:1 ?)+$/ },
  { run: "scale statefulset/db --replicas=1", prints: "statefulset.apps/db scaled" },
  { run: "wait statefulset/db --for=jsonpath={.status.replicas}=1", prints: "statefulset.apps/db condition met" },
  { run: "get pods -l app=db -o name", prints: "pod/db-0", eventually: true },
  {
    run: "describe daemonset agent",
    prints: shows(
      "Desired Number of Nodes Scheduled: 2",
      "Number of Nodes Scheduled with Up-to-date Pods: 2",
      "Number of Nodes Scheduled with Available Pods: 2",
      "Number of Nodes Misscheduled: 0",
      "Pods Status: 2 Running / 0 Waiting / 0 Succeeded / 0 Failed",
      "Normal SuccessfulCreate AGE daemonset-controller Created pod: agent-*",
      "Normal SuccessfulDelete AGE daemonset-controller Deleted pod: agent-*",
    ),
    eventually: true,
  },
];

const jobs: readonly ControllerStep[] = [
  { run: "wait --for=condition=complete job/count", prints: "job.batch/count condition met" },
  {
    run: "describe job count",
    prints: shows(
      "Pods Statuses: 0 Active (0 Ready) / 3 Succeeded / 0 Failed",
      "Normal SuccessfulCreate AGE job-controller Created pod: count-*",
      "Normal Completed AGE job-controller Job completed",
    ),
    eventually: true,
  },
  { run: "wait --for=condition=failed job/failing", prints: "job.batch/failing condition met" },
  {
    run: "describe job failing",
    prints: shows(
      "Pods Statuses: 0 Active (0 Ready) / 0 Succeeded / 1 Failed",
      "Warning BackoffLimitExceeded AGE job-controller Job has reached the specified backoff limit",
    ),
    eventually: true,
  },
  { run: ["create", "cronjob", "nightly", "--image=perl", "--schedule=0 3 1 1 *"] },
  { run: "create job by-hand --from=cronjob/nightly" },
  { run: "wait --for=condition=complete job/by-hand" },
  {
    run: "describe cronjob nightly",
    prints: shows(
      "Last Schedule Time: <unset>",
      "Warning UnexpectedJob AGE cronjob-controller Saw a job that the controller did not create or forgot: by-hand",
    ),
    eventually: true,
  },
];

const ofServices: readonly ControllerStep[] = [
  { run: "rollout status deployment/web" },
  { run: "expose deployment web --port=80" },
  {
    run: "describe endpointslices -l kubernetes.io/service-name=web",
    prints: shows(
      "Labels: endpointslice.kubernetes.io/managed-by=endpointslice-controller.k8s.io",
      "Ready: true",
      "TargetRef: Pod/web-*",
      "NodeName: node-0",
      "NodeName: node-1",
    ),
    eventually: true,
  },
  { run: "describe service web", prints: shows("Endpoints: *:80,*:80,*:80") },
  { run: "get poddisruptionbudgets --no-headers", prints: /^web +2 +N\/A +1 +\d+s$/, eventually: true },
  { run: "describe poddisruptionbudget web", prints: shows("Allowed disruptions: 1", "Current: 3", "Desired: 2", "Total: 3") },
  // Two of the set on nodes, one of the StatefulSet, three of the Deployment: what is over does not count.
  { run: "describe quota few", prints: shows("count/configmaps 1 10", "pods 6 30"), eventually: true },
  { run: "wait horizontalpodautoscaler/web --for=condition=AbleToScale", prints: "horizontalpodautoscaler.autoscaling/web condition met" },
  {
    run: "describe horizontalpodautoscaler web",
    prints: shows(
      "Deployment pods: 3 current / 0 desired",
      "AbleToScale True SucceededGetScale the HPA controller was able to get the target's current scale",
      `ScalingActive False FailedGetResourceMetric the HPA was unable to compute the replica count: ${noMetrics}`,
      `Warning FailedGetResourceMetric AGE horizontal-pod-autoscaler ${noMetrics}`,
      `Warning FailedComputeMetricsReplicas AGE horizontal-pod-autoscaler invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${noMetrics}`,
    ),
    eventually: true,
  },
];

const volumes: readonly ControllerStep[] = [
  {
    run: "create -f -",
    stdin: list(
      {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name: "volume" },
        spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" }, storageClassName: "manual" },
      },
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "claim" },
        spec: { resources: { requests: { storage: "1Gi" } }, accessModes: ["ReadWriteOnce"], storageClassName: "manual" },
      },
    ),
  },
  { run: "wait persistentvolumeclaim/claim --for=jsonpath={.status.phase}=Bound", prints: "persistentvolumeclaim/claim condition met" },
  {
    run: "describe persistentvolumeclaim claim",
    prints: shows(
      "Status: Bound",
      "Volume: volume",
      "Finalizers: [kubernetes.io/pvc-protection]",
      "Annotations: pv.kubernetes.io/bind-completed: yes",
    ),
  },
  { run: "delete persistentvolumeclaim claim", prints: deleted('persistentvolumeclaim "claim"') },
  { run: "wait persistentvolume/volume --for=jsonpath={.status.phase}=Released", prints: "persistentvolume/volume condition met" },
  { run: "delete persistentvolume volume", prints: deleted('persistentvolume "volume"') },
];

const waits = { finalizers: ["example.org/wait"] };
const unfinished = ["patch", "--type=merge", "-p", '{"metadata":{"finalizers":null}}'];
const boat = (metadata: object) => ({ apiVersion: "sea.example.org/v1", kind: "Boat", metadata });
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "boats.sea.example.org" },
  spec: {
    group: "sea.example.org",
    scope: "Namespaced",
    names: { plural: "boats", singular: "boat", kind: "Boat" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

const deletions: readonly ControllerStep[] = [
  { run: "create -f -", stdin: JSON.stringify(definition) },
  { run: "wait --for=condition=established customresourcedefinition/boats.sea.example.org" },
  { run: "create -f -", stdin: list(boat({ name: "one" }), boat({ name: "two", ...waits })) },
  { run: "delete customresourcedefinition boats.sea.example.org --wait=false" },
  { run: "get boats -o name", prints: "boat.sea.example.org/two", eventually: true },
  {
    run: "describe customresourcedefinition boats.sea.example.org",
    prints: shows("Message: CustomResource deletion is in progress", "Reason: InstanceDeletionInProgress", "Type: Terminating"),
  },
  { run: [...unfinished, "boat", "two"] },
  { run: "wait --for=delete customresourcedefinition/boats.sea.example.org", prints: /^$|condition met$/ },
  { run: "create -f -", stdin: list({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "last", ...waits } }) },
];

/** In a namespace that is there again for each: `namespace` is its name. */
const end = (namespace: string): readonly ControllerStep[] => [
  { run: `delete namespace ${namespace} --wait=false`, prints: deleted(`namespace "${namespace}"`) },
  {
    run: `describe namespace ${namespace}`,
    prints: shows(
      "Status: Terminating",
      "NamespaceDeletionDiscoveryFailure False * * * * * * ResourcesDiscovered All resources successfully discovered",
      "NamespaceDeletionContentFailure False * * * * * * ContentDeleted All content successfully deleted, may be waiting on finalization",
      "NamespaceContentRemaining True * * * * * * SomeResourcesRemain Some resources are remaining: configmaps. has 1 resource instances",
      "NamespaceFinalizersRemaining True * * * * * * SomeFinalizersRemain Some content in the namespace has finalizers remaining: example.org/wait in 1 resource instances",
    ),
    eventually: true,
  },
  { run: "get all,configmaps,secrets,serviceaccounts,endpointslices,persistentvolumeclaims,events -o name", prints: "configmap/last" },
  { run: "create configmap late", code: 1, complains: /unable to create new content in namespace \S+ because it is being terminated/ },
  { run: [...unfinished, "configmap", "last"] },
  { run: `wait --for=delete namespace/${namespace}`, prints: /^$|condition met$/ },
];

/** With one kubectl. */
export const whole = (namespace: string): readonly ControllerStep[] => [
  ...setUp,
  ...sets,
  ...jobs,
  ...ofServices,
  ...volumes,
  ...deletions,
  ...end(namespace),
];
