import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "@coxswain/machinery";
import type { Pod, PodSpec } from "@coxswain/types/core-v1";
import { podSubresources } from "../../kinds/core/pod/subresources.ts";
import { validatePod } from "../../kinds/core/pod/validation.ts";
import { defaultPod } from "../../pod-spec/defaults.ts";

const container = { name: "c", image: "busybox" };

function podOf(spec: Partial<PodSpec>, part: object = {}): Pod {
  const pod: Pod = { metadata: { name: "p" }, spec: { containers: [{ ...container, ...part }], ...spec } };
  defaultPod(pod);
  return pod;
}
const problemsOf = (pod: Pod): string[] => validatePod(pod).map(field.formatFieldError);

const rules: readonly { readonly name: string; readonly pod: Pod; readonly problems: readonly string[] }[] = [
  {
    name: "variables from files: the volume is an emptyDir, the path stays inside",
    pod: podOf(
      { volumes: [{ name: "v", secret: { secretName: "s" } }] },
      {
        env: [
          { name: "A", valueFrom: { fileKeyRef: { volumeName: "v", path: "a/../b", key: "K" } } },
          { name: "B", valueFrom: { fileKeyRef: { volumeName: "w", path: "b", key: "K" } } },
        ],
      },
    ),
    problems: [
      "spec.containers[0].env[0].valueFrom.fileKeyRef.path: Invalid value: \"a/../b\": must not contain '..'",
      'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Invalid value: "v": referenced volume must be of type emptyDir',
      'spec.containers[0].env[1].valueFrom.fileKeyRef.volumeName: Not found: "w"',
    ],
  },
  {
    name: "an image as a volume is named, pulled by a policy there is, and may be mounted in part",
    pod: podOf(
      {
        volumes: [
          { name: "a", image: { reference: "data:1" } },
          { name: "b", image: {} },
          { name: "c", image: { reference: "data:1", pullPolicy: "Sometimes" } },
          { name: "d", emptyDir: {}, image: { reference: "data:1" } },
        ],
      },
      {
        volumeMounts: [
          { name: "a", mountPath: "/a", subPath: "part" },
          { name: "a", mountPath: "/b", subPathExpr: "part" },
        ],
      },
    ),
    problems: [
      "spec.volumes[1].image.reference: Required value",
      'spec.volumes[2].image.pullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
      "spec.volumes[3].image: Forbidden: may not specify more than 1 volume type",
    ],
  },
  {
    name: "a sidecar may have restart rules of its own",
    pod: podOf({
      initContainers: [{ ...container, name: "s", restartPolicy: "Always", restartPolicyRules: [{ action: "Restart" }] }],
    }),
    problems: ["spec.initContainers[0].restartPolicyRules[0].exitCodes: Required value: must be specified"],
  },
  {
    name: "users of its own: nothing of the host's",
    pod: podOf({ hostUsers: false, hostPID: true }),
    problems: ["spec.HostPID: Forbidden: when `hostUsers` is false"],
  },
  {
    name: "what the pod asks for covers its containers; what it does not name is not asked for",
    pod: podOf({ resources: { requests: { cpu: "1" } } }, { resources: { requests: { cpu: "2", memory: "1Gi" } } }),
    problems: ['spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2'],
  },
  {
    name: "errors come in the order of the server's checks",
    pod: podOf({ tolerations: [{ operator: "Equal" }], nodeSelector: { "a b": "" }, nodeName: "N", dnsPolicy: "None" }),
    problems: ["spec.nodeSelector", "spec.dnsConfig", "spec.nodeName", "spec.tolerations[0].operator"],
  },
  {
    name: "a Windows pod may say no to what only Linux has",
    pod: podOf({ os: { name: "windows" }, hostPID: false, hostIPC: true }),
    problems: ["spec.hostIPC: Forbidden: cannot be set for a windows pod"],
  },
];

for (const { name, pod, problems } of rules) {
  test(name, () => {
    const found = problemsOf(pod);
    const shown = problems.every((p) => p.includes(": ")) ? found : found.map((p) => p.slice(0, p.indexOf(":")));
    assert.deepEqual(shown, problems);
  });
}

const resizeProblems = (next: Pod, prev: Pod): readonly string[] =>
  [...(podSubresources.resize?.validateUpdate?.(next, prev) ?? [])].map(field.formatFieldError);

test("a resize leaves the list of containers alone", () => {
  const prev = podOf({ containers: [container, { ...container, name: "d" }] });
  const swapped = podOf({ containers: [{ ...container, name: "d" }, container] });
  const renamed = (i: number) => `spec.containers[${i}].name: Forbidden: containers may not be renamed or reordered on resize`;
  assert.deepEqual(resizeProblems(swapped, prev), [renamed(0), renamed(1)]);
  assert.deepEqual(resizeProblems(podOf({}), prev), ["spec.containers: Forbidden: containers may not be added or removed on resize"]);
});

for (const { reference, policy } of [
  { reference: "data", policy: "Always" },
  { reference: "data:latest", policy: "Always" },
  { reference: "registry.example:5000/data:1", policy: "IfNotPresent" },
  { reference: `data@sha256:${"0".repeat(64)}`, policy: "IfNotPresent" },
])
  test(`the image ${reference} of a volume is pulled by policy ${policy} by default`, () =>
    assert.equal(podOf({ volumes: [{ name: "v", image: { reference } }] }).spec?.volumes?.[0]?.image?.pullPolicy, policy));
