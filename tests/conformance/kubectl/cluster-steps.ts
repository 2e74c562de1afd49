/** What every cluster has, and the choices that it makes for those who leave them out. */
import type { Step } from "./steps.ts";

const object = (value: object): string => JSON.stringify(value);

const storageClass = object({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "usual", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "example.org/disk",
});
const claim = object({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "growing" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});
const grow = object({ spec: { resources: { requests: { storage: "2Gi" } } } });

export const clusterSteps: readonly Step[] = [
  { run: "get apiservice v1.apps", prints: /^NAME +SERVICE +AVAILABLE +AGE\nv1\.apps +Local +True +\d+s$/ },
  { run: "get ipaddress 10.96.0.1", prints: /^NAME +PARENTREF.*\n10\.96\.0\.1 +services\/default\/kubernetes/ },
  { run: "get servicecidr kubernetes", prints: /^NAME +CIDRS +AGE\nkubernetes +10\.96\.0\.0\/12 +\d+s$/ },
  { run: "get componentstatuses etcd-0", prints: /^NAME +STATUS +MESSAGE +ERROR\netcd-0 +Healthy +ok$/ },
  { run: "create priorityclass usual --value=7 --global-default", prints: "priorityclass.scheduling.k8s.io/usual created" },
  {
    run: "create priorityclass other --value=8 --global-default",
    code: 1,
    complains: /"other" is forbidden: PriorityClass usual is already marked as default\. Only one default can exist/,
  },
  { run: "delete priorityclass usual", prints: /deleted/ },
  { run: "apply -f -", stdin: storageClass, prints: "storageclass.storage.k8s.io/usual created" },
  { run: "apply -f -", stdin: claim, prints: "persistentvolumeclaim/growing created" },
  { run: "get pvc growing -o jsonpath={.spec.storageClassName}", prints: "usual" },
  {
    run: [
      "patch",
      "pvc",
      "growing",
      "--subresource=status",
      "--type=merge",
      "-p",
      object({ status: { phase: "Bound", capacity: { storage: "1Gi" } } }),
    ],
    prints: "persistentvolumeclaim/growing patched",
  },
  {
    run: ["patch", "pvc", "growing", "-p", grow],
    code: 1,
    complains:
      /"growing" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support/,
  },
  { run: 'patch storageclass usual -p {"allowVolumeExpansion":true}', prints: "storageclass.storage.k8s.io/usual patched" },
  { run: ["patch", "pvc", "growing", "-p", grow], prints: "persistentvolumeclaim/growing patched" },
];
