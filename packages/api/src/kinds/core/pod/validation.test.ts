import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs } from "../../kind-under-test.ts";
import { pod } from "./strategy.ts";

const container = { name: "c", image: "busybox" };
const bodyOf = (spec: object, metadata: object = {}) => ({
  metadata: { name: "p", ...metadata },
  spec: { containers: [container], ...spec },
});
const withContainer = (part: object, spec: object = {}) => bodyOf({ containers: [{ ...container, ...part }], ...spec });
const volume = (source: object) => ({ volumes: [{ name: "v", ...source }] });
const more = "may not specify more than 1";

const refusals: readonly { readonly name: string; readonly body: object; readonly problems: readonly string[] }[] = [
  { name: "a plain pod is fine", body: bodyOf({}), problems: [] },
  {
    name: "images have no space around them",
    body: withContainer({ image: " busybox" }),
    problems: ['spec.containers[0].image: Invalid value: " busybox": must not have leading or trailing whitespace'],
  },
  {
    name: "init containers share names with the others and have no probes",
    body: bodyOf({ initContainers: [{ ...container, livenessProbe: { exec: { command: ["true"] } } }] }),
    problems: [
      'spec.initContainers[0].name: Duplicate value: "c"',
      "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    ],
  },
  {
    name: "a sidecar has probes",
    body: bodyOf({ initContainers: [{ ...container, name: "s", restartPolicy: "Always", livenessProbe: { tcpSocket: { port: 1 } } }] }),
    problems: [],
  },
  {
    name: "ephemeral containers come later",
    body: bodyOf({ ephemeralContainers: [{ ...container, name: "e" }] }),
    problems: ["spec.ephemeralContainers: Forbidden: cannot be set on create"],
  },
  {
    name: "a gated pod has no node",
    body: bodyOf({ nodeName: "n", schedulingGates: [{ name: "example.com/g" }] }),
    problems: ["spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"],
  },
  {
    name: "a liveness probe succeeds at once",
    body: withContainer({ livenessProbe: { exec: {}, successThreshold: 2 } }),
    problems: [
      "spec.containers[0].livenessProbe.exec.command: Required value",
      "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1",
    ],
  },
  {
    name: "a hook sleeps no longer than the pod has",
    body: withContainer({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
    problems: [
      "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)",
    ],
  },
  {
    name: "an HTTP probe names a port and a scheme",
    body: withContainer({ readinessProbe: { httpGet: { port: "Web", scheme: "FTP" } } }),
    problems: [
      'spec.containers[0].readinessProbe.httpGet.port: Invalid value: "Web": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].readinessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"',
    ],
  },
  {
    name: "two containers cannot have one port of the node",
    body: bodyOf({
      containers: [
        { ...container, ports: [{ containerPort: 1, hostPort: 5 }] },
        { ...container, name: "d", ports: [{ containerPort: 2, hostPort: 5 }] },
      ],
    }),
    problems: ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//5"'],
  },
  {
    name: "an environment variable has one source, and one that exists",
    body: withContainer({
      env: [
        { name: "A", valueFrom: {} },
        { name: "B", valueFrom: { fieldRef: { fieldPath: "spec.hostname" } } },
        { name: "C", valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } },
        { name: "D", valueFrom: { resourceFieldRef: { resource: "limits.gpu" } } },
        { name: "E", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "2" } } },
        { name: "F", valueFrom: { fieldRef: { fieldPath: "status.phase" } } },
      ],
    }),
    problems: [
      'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      'spec.containers[0].env[1].valueFrom.fieldRef.fieldPath: Invalid value: "spec.hostname": error converting fieldPath: field label not supported: spec.hostname',
      `spec.containers[0].env[2].valueFrom.fieldRef: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.containers[0].env[3].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
      `spec.containers[0].env[4].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
      'spec.containers[0].env[5].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
    ],
  },
  {
    name: "mounts are unique, stay inside and share only what they may",
    body: withContainer(
      {
        volumeMounts: [
          { name: "v", mountPath: "/a", subPath: "../x" },
          { name: "v", mountPath: "/a", mountPropagation: "Bidirectional" },
        ],
      },
      volume({ emptyDir: {} }),
    ),
    problems: [
      "spec.containers[0].volumeMounts.subPath: Invalid value: \"../x\": must not contain '..'",
      'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique',
      "spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers",
    ],
  },
  {
    name: "only claims are block devices",
    body: withContainer({ volumeDevices: [{ name: "v", devicePath: "/dev/x" }] }, volume({ emptyDir: {} })),
    problems: [
      'spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
    ],
  },
  {
    name: "a volume has one source",
    body: bodyOf(volume({ configMap: { name: "x" }, secret: { secretName: "y" } })),
    problems: [`spec.volumes[0].configMap: Forbidden: ${more} volume type`],
  },
  {
    name: "sources name what they need",
    body: bodyOf({
      volumes: [
        { name: "a", hostPath: { path: "/x", type: "Thing" } },
        { name: "b", persistentVolumeClaim: {} },
        { name: "c", nfs: { server: "s", path: "rel" } },
        { name: "d", secret: { secretName: "s", defaultMode: 512, items: [{ key: "k", path: "/abs" }] } },
        { name: "e", ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"] } } } },
      ],
    }),
    problems: [
      'spec.volumes[0].hostPath.type: Unsupported value: "Thing": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      "spec.volumes[1].persistentVolumeClaim.claimName: Required value",
      'spec.volumes[2].nfs.path: Invalid value: "rel": must be an absolute path',
      "spec.volumes[3].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
      'spec.volumes[3].secret.items[0].path: Invalid value: "/abs": must be a relative path',
      "spec.volumes[4].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value",
    ],
  },
  {
    name: "other vendors' devices are whole, and requested as they are limited",
    body: withContainer({
      resources: { requests: { "example.com/gpu": "1500m", "hugepages-2Mi": "3Mi", widgets: "1" }, limits: { "hugepages-2Mi": "3Mi" } },
    }),
    problems: [
      'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      'spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "1500m": must be an integer',
      "spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources",
      'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      'spec.containers[0].resources.requests[widgets]: Invalid value: "widgets": must be a standard resource type or fully qualified',
      'spec.containers[0].resources.requests[widgets]: Invalid value: "widgets": must be a standard resource for containers',
      "spec.containers[0].resources: Forbidden: HugePages require cpu or memory",
    ],
  },
  {
    name: "claims of devices are the pod's",
    body: withContainer({ resources: { claims: [{ name: "gpu" }] } }, { resourceClaims: [{ name: "nic", resourceClaimName: "n" }] }),
    problems: ['spec.containers[0].resources.claims[0]: Not found: "gpu": must be one of the names in pod.spec.resourceClaims: nic'],
  },
  {
    name: "the pod as a whole has enough for its containers",
    body: withContainer({ resources: { requests: { cpu: "2" } } }, { resources: { requests: { cpu: "1" } } }),
    problems: ['spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2'],
  },
  {
    name: "names are resolved by someone",
    body: bodyOf({ dnsPolicy: "None", dnsConfig: { searches: ["x"] } }),
    problems: ["spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None"],
  },
  {
    name: "affinity and spreading are well formed",
    body: bodyOf({
      affinity: {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: { topologyKey: "" } }] },
      },
      topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "zone", whenUnsatisfiable: "Maybe" }],
    }),
    problems: [
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100",
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Required value: can not be empty",
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Invalid value: "": name part must be non-empty',
      `spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Maybe": supported values: "DoNotSchedule", "ScheduleAnyway"',
    ],
  },
  {
    name: "rights do not contradict each other",
    body: withContainer(
      { securityContext: { privileged: true, allowPrivilegeEscalation: false, runAsUser: -1 } },
      {
        hostNetwork: true,
        securityContext: { sysctls: [{ name: "net.ipv4.tcp_syncookies", value: "1" }], seccompProfile: { type: "Localhost" } },
      },
    ),
    problems: [
      "spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
      'spec.containers[0].securityContext: Invalid value: {"privileged":true,"allowPrivilegeEscalation":false,"runAsUser":-1}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      "spec.securityContext.sysctls[0].name: Invalid value: \"net.ipv4.tcp_syncookies\": may not be specified when 'hostNetwork' is true",
      "spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
    ],
  },
  {
    name: "a Windows pod has nothing of Linux",
    body: withContainer({ securityContext: { privileged: true } }, { os: { name: "windows" }, hostPID: true }),
    problems: [
      "spec.hostPID: Forbidden: cannot be set for a windows pod",
      "spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod",
    ],
  },
];

for (const { name, body, problems } of refusals) {
  test(name, () => assert.deepEqual(createdAs(pod, body).problems, problems));
}

test("annotations that carry settings are checked", () => {
  const annotations = {
    "controller.kubernetes.io/pod-deletion-cost": "+1",
    "container.apparmor.security.beta.kubernetes.io/x": "runtime/default",
  };
  assert.deepEqual(createdAs(pod, bodyOf({}, { annotations })).problems, [
    'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
    'metadata.annotations[container.apparmor.security.beta.kubernetes.io/x]: Invalid value: "x": container not found',
  ]);
});
