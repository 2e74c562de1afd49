/** What a user does with kubectl in an afternoon: each step a command and what it must print. They build on each other. */

export interface Step {
  /** Split at spaces; what holds spaces itself is written as a list. */
  readonly run: string | readonly string[];
  readonly stdin?: string;
  /** Must match standard output, or be what is printed, but for white space at the ends. */
  readonly prints?: RegExp | string;
  readonly complains?: RegExp;
  /** Of the process; 0 if not said. */
  readonly code?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const object = (value: object): string => JSON.stringify(value);
const configMap = (name: string, data: Record<string, string>, more = {}) =>
  object({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data });

const create: Step[] = [
  { run: "create namespace shop", prints: "namespace/shop created" },
  { run: "create configmap settings --from-literal=a=1 --from-literal=b=2", prints: "configmap/settings created" },
  { run: "create configmap settings", code: 1, complains: /configmaps "settings" already exists/ },
  { run: "create configmap Wrong_Name", code: 1, complains: /ConfigMap "Wrong_Name" is invalid: metadata\.name: Invalid value/ },
  { run: "create secret generic keys --from-literal=password=s3cret", prints: "secret/keys created" },
  { run: "create serviceaccount robot", prints: "serviceaccount/robot created" },
  { run: "create deployment web --image=registry.example.org/web:1 --replicas=2", prints: "deployment.apps/web created" },
  { run: "create service clusterip web --tcp=80:8080", prints: "service/web created" },
  { run: "expose deployment web --name=exposed --port=80", prints: "service/exposed exposed" },
  { run: "create job once --image=registry.example.org/once:1", prints: "job.batch/once created" },
  { run: ["create", "cronjob", "nightly", "--image=x.example.org/n:1", "--schedule=0 3 * * *"], prints: "cronjob.batch/nightly created" },
  { run: "create role reader --verb=get,list --resource=configmaps", prints: "role.rbac.authorization.k8s.io/reader created" },
  { run: "create rolebinding reader --role=reader --user=jane", prints: "rolebinding.rbac.authorization.k8s.io/reader created" },
  { run: "create quota few --hard=pods=10", prints: "resourcequota/few created" },
  { run: "create ingress web --rule=shop.example.org/=web:80", prints: "ingress.networking.k8s.io/web created" },
  { run: "create poddisruptionbudget web --selector=app=web --min-available=1", prints: "poddisruptionbudget.policy/web created" },
  { run: "run shell --image=registry.example.org/shell:1 --labels=app=shell,tier=none", prints: "pod/shell created" },
  { run: "autoscale deployment web --min=1 --max=5 --cpu-percent=80", prints: /horizontalpodautoscaler\.autoscaling\/web autoscaled/ },
];

const get: Step[] = [
  { run: "get configmap settings", prints: /^NAME +DATA +AGE\nsettings +2 +\d+s$/ },
  {
    run: "get deployments -o wide",
    prints:
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR\nweb +0\/2 +0 +0 +\d+s +web +registry\.example\.org\/web:1 +app=web$/,
  },
  {
    run: "get pod shell -o wide",
    prints: /^NAME +READY +STATUS .*NOMINATED NODE +READINESS GATES\nshell +0\/1 +Pending +0 +\d+s +<none> +<none> +<none> +<none>$/,
  },
  {
    run: "get service web",
    prints: /^NAME +TYPE +CLUSTER-IP +EXTERNAL-IP +PORT\(S\) +AGE\nweb +ClusterIP +[\d.]+ +<none> +80\/TCP +\d+s$/,
  },
  {
    run: "get configmap settings -o yaml",
    prints: /^apiVersion: v1\ndata:\n {2}a: "1"\n {2}b: "2"\nkind: ConfigMap\nmetadata:\n {2}creationTimestamp: "/,
  },
  { run: "get configmap settings -o json", prints: /"kind": "ConfigMap"/ },
  { run: "get configmap settings -o jsonpath={.data.a}/{.metadata.namespace}", prints: "1/default" },
  { run: "get configmap,secret -o name", prints: /configmap\/settings[\s\S]*secret\/keys/ },
  { run: "get pods -l app=shell,tier!=web -o name", prints: "pod/shell" },
  { run: "get pods -l app=other", prints: "", complains: /No resources found in default namespace\./ },
  { run: "get pods --field-selector=status.phase=Pending -o name", prints: "pod/shell" },
  { run: "get pods --field-selector=metadata.name!=shell -o name", prints: "" },
  { run: "get services --sort-by=.metadata.name -o name", prints: /service\/exposed\nservice\/kubernetes\nservice\/web/ },
  { run: "get services --sort-by={.metadata.name}", prints: /^NAME[^\n]*\nexposed[^\n]*\nkubernetes[^\n]*\nweb/ },
  { run: "get namespaces -A", prints: /default +Active[\s\S]*kube-node-lease[\s\S]*kube-public[\s\S]*kube-system[\s\S]*shop/ },
  { run: "get secrets -A --no-headers", prints: /^default +keys +Opaque +1 +\d+s$/ },
  {
    run: "get all -o name",
    prints: /pod\/shell[\s\S]*service\/web[\s\S]*deployment\.apps\/web[\s\S]*cronjob\.batch\/nightly[\s\S]*job\.batch\/once/,
  },
  { run: "get --raw /api/v1/namespaces/default/configmaps/settings", prints: /^\{.*"kind":"ConfigMap"/ },
  { run: "get configmap absent", code: 1, complains: /Error from server \(NotFound\): configmaps "absent" not found/ },
  { run: "get nonsense", code: 1, complains: /the server doesn't have a resource type "nonsense"/ },
];

const describe: Step[] = [
  { run: "describe configmap settings", prints: /Name: +settings\nNamespace: +default[\s\S]*a:\n----\n1/ },
  { run: "describe deployment web", prints: /Replicas: +2 desired \| 0 updated[\s\S]*StrategyType: +RollingUpdate[\s\S]*Events: +<none>/ },
  { run: "describe pod shell", prints: /Status: +Pending[\s\S]*QoS Class: +BestEffort/ },
  { run: "describe service web", prints: /Type: +ClusterIP[\s\S]*Port: +80-8080 +80\/TCP/ },
  { run: "describe quota few", prints: /Name: +few/ },
  { run: "explain pods.spec.containers.image", prints: /KIND: +Pod[\s\S]*image +<string>|FIELD: +image +<string>/ },
  { run: "explain deployment", prints: /GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n[\s\S]*spec\t<DeploymentSpec>/ },
  { run: "api-versions", prints: /^admissionregistration\.k8s\.io\/v1[\s\S]*apps\/v1[\s\S]*\nv1$/ },
  { run: "api-resources", prints: /configmaps +cm +v1 +true +ConfigMap[\s\S]*deployments +deploy +apps\/v1 +true +Deployment/ },
  { run: "api-resources --verbs=list --namespaced=false -o name", prints: /namespaces\n[\s\S]*nodes/ },
  { run: "version -o json", prints: /"serverVersion": \{[\s\S]*"gitVersion": "v1\.36\./ },
  { run: "cluster-info", prints: /Kubernetes control plane.* is running at.*https:\/\// },
];

const change: Step[] = [
  { run: "label configmap settings tier=web", prints: "configmap/settings labeled" },
  { run: "label configmap settings tier=db", code: 1, complains: /already has a value \(web\), and --overwrite is false/ },
  { run: "label configmap settings tier-", prints: /configmap\/settings (unlabeled|labeled)/ },
  { run: "annotate configmap settings note=hello", prints: /^configmap\/settings annotated?$/ },
  { run: ["patch", "configmap", "settings", "-p", '{"data":{"c":"3"}}'], prints: "configmap/settings patched" },
  { run: ["patch", "configmap", "settings", "--type=merge", "-p", '{"data":{"b":null}}'], prints: "configmap/settings patched" },
  {
    run: ["patch", "configmap", "settings", "--type=json", "-p", '[{"op":"add","path":"/data/d","value":"4"}]'],
    prints: "configmap/settings patched",
  },
  { run: ["patch", "configmap", "settings", "--type=merge", "-p", '{"data":{"d":"4"}}'], prints: "configmap/settings patched (no change)" },
  {
    run: ["patch", "configmap", "settings", "--type=merge", "-p", '{"kind":"Secret"}'],
    code: 1,
    complains: /is invalid: patch: Invalid value: .*illegal base64 data/,
  },
  {
    run: ["patch", "configmap", "settings", "--type=json", "-p", '[{"op":"replace","path":"/kind","value":"Pod"}]'],
    code: 1,
    complains: /is invalid: patch: Invalid value: .*converting \(v1\.Pod\) to \(core\.ConfigMap\): unknown conversion/,
  },
  {
    run: ["patch", "configmap", "settings", "--type=merge", "-p", '{"kind":null}', "-o", "name"],
    prints: "configmap/settings",
  },
  { run: ["patch", "configmap", "settings", "-p", '{"kind":"Pod"}', "-o", "name"], prints: "configmap/settings" },
  { run: "get configmap settings -o jsonpath={.data}", prints: '{"a":"1","c":"3","d":"4"}' },
  { run: "get configmap settings --as bob", code: 1, complains: /Forbidden.*User "bob" cannot get resource "configmaps"/ },
  { run: "delete configmap settings --as jane --as-group devs", code: 1, complains: /Forbidden/ },
  { run: "set image deployment/web web=registry.example.org/web:2", prints: "deployment.apps/web image updated" },
  { run: "set env deployment/web COLOR=blue", prints: "deployment.apps/web env updated" },
  {
    run: "get deployment web -o jsonpath={.metadata.generation}:{.spec.template.spec.containers[0].image}",
    prints: "3:registry.example.org/web:2",
  },
  { run: "scale deployment web --replicas=5", prints: "deployment.apps/web scaled" },
  { run: "scale deployment web --replicas=1 --current-replicas=4", code: 1, complains: /Expected replicas to be 4, was 5/ },
  { run: "scale deployment web --replicas=4 --current-replicas=5", prints: "deployment.apps/web scaled" },
  { run: "get deployment web -o jsonpath={.spec.replicas}", prints: "4" },
  { run: "rollout restart deployment web", prints: "deployment.apps/web restarted" },
  { run: "rollout history deployment web", prints: /deployment\.apps\/web/ },
  { run: "rollout pause deployment web", prints: "deployment.apps/web paused" },
  { run: "edit configmap settings", env: { KUBE_EDITOR: "sed -i s/hello/hullo/" }, prints: "configmap/settings edited" },
  { run: "get configmap settings -o jsonpath={.metadata.annotations.note}", prints: "hullo" },
  { run: "edit configmap settings", env: { KUBE_EDITOR: "true" }, complains: /Edit cancelled, no changes made/ },
  { run: "replace -f -", stdin: configMap("settings", { a: "10" }), prints: "configmap/settings replaced" },
  {
    run: "replace -f -",
    stdin: configMap("settings", { a: "11" }, { resourceVersion: "1" }),
    code: 1,
    complains: /\(Conflict\).*the object has been modified; please apply your changes to the latest version and try again/,
  },
  {
    run: "replace --force -f -",
    stdin: configMap("settings", { a: "12" }),
    prints: /configmap "settings" deleted[^\n]*\nconfigmap\/settings replaced/,
  },
  { run: ["wait", "--for=jsonpath={.data.a}=12", "configmap/settings", "--timeout=5s"], prints: "configmap/settings condition met" },
  { run: "create -f - --dry-run=server", stdin: configMap("dry", {}), prints: "configmap/dry created (server dry run)" },
  { run: "get configmap dry", code: 1, complains: /NotFound/ },
  { run: "create -f -", stdin: configMap("typo", {}).replace('"data":', '"dada":'), code: 1, complains: /unknown field "dada"/ },
];

const claim = (storageClassName: string) =>
  object({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "disk" },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage: "1Gi" } } },
  });

const refuse: Step[] = [
  { run: "create -f -", stdin: claim("fast"), prints: "persistentvolumeclaim/disk created" },
  {
    run: "replace -f -",
    stdin: claim("slow"),
    code: 1,
    complains: /spec is immutable after creation [^\n]*\n@@ [^\n]*\n[\s\S]*\n- "StorageClassName": "fast",\n\+ "StorageClassName": "slow",/,
  },
  {
    run: ["patch", "service", "web", "-p", '{"spec":{"clusterIP":"1.1.1.1","clusterIPs":["1.1.1.1"]}}'],
    code: 1,
    complains: /spec\.clusterIPs\[0\]: Invalid value: \["1\.1\.1\.1"\]: may not change once set/,
  },
  {
    run: ["patch", "job", "once", "-p", '{"spec":{"template":{"spec":{"restartPolicy":"OnFailure"}}}}'],
    code: 1,
    complains: /spec\.template: Invalid value: \{"labels":\{[^}]*\},"Spec":\{"Volumes":null,[\s\S]*field is immutable/,
  },
  {
    run: ["get", "horizontalpodautoscalers.v1.autoscaling", "web", "-o", "jsonpath={.spec.targetCPUUtilizationPercentage}"],
    prints: "80",
  },
];

const remove: Step[] = [
  { run: "delete configmap settings", prints: /configmap "settings" deleted/ },
  { run: "delete configmap settings", code: 1, complains: /configmaps "settings" not found/ },
  { run: "delete configmap settings --ignore-not-found", prints: "" },
  { run: "delete deployment web --cascade=background --wait", prints: /deployment\.apps "web" deleted/ },
  { run: "delete job once --cascade=orphan --wait=false", prints: /job\.batch "once" deleted/ },
  { run: "get job once -o jsonpath={.metadata.finalizers}", prints: '["orphan"]' },
  {
    run: ["patch", "job", "once", "--type=json", "-p", '[{"op":"remove","path":"/metadata/finalizers"}]'],
    prints: "job.batch/once patched",
  },
  { run: "wait --for=delete job/once --timeout=5s", prints: /^(job\.batch\/once condition met)?$/ },
  { run: "delete pod shell --now", prints: /pod "shell" deleted/ },
  { run: "delete secret,role --all", prints: /secret "keys" deleted[\s\S]*role\.rbac\.authorization\.k8s\.io "reader" deleted/ },
  { run: "get secrets", prints: "", complains: /No resources found/ },
];

export const steps: readonly Step[] = [...create, ...get, ...describe, ...change, ...refuse, ...remove];
