import assert from "node:assert/strict";
import { test } from "node:test";
import type { coreV1, resourceV1 } from "@coxswain/api";
import { type Content, nextQuotaStatus } from "./plan.ts";

type Resources = coreV1.ResourceRequirements;

const pod = (resources: Resources = {}, more: Partial<coreV1.PodSpec> = {}, status: coreV1.PodStatus = {}): coreV1.Pod => ({
  spec: { containers: [{ name: "c", resources }], ...more },
  status,
});
const small = pod({ requests: { cpu: "100m", memory: "1Mi", "nvidia.com/gpu": "1" }, limits: { memory: "2Mi", "nvidia.com/gpu": "1" } });
const claim = (storage: string, storageClassName?: string): coreV1.PersistentVolumeClaim => ({
  spec: { resources: { requests: { storage } }, ...(storageClassName === undefined ? {} : { storageClassName }) },
});

const devices = (request: object): resourceV1.ResourceClaim =>
  ({ spec: { devices: { requests: [{ name: "r", ...request }] } } }) as unknown as resourceV1.ResourceClaim;

interface Case {
  readonly name: string;
  readonly pods?: coreV1.Pod[];
  readonly services?: coreV1.Service[];
  readonly claims?: coreV1.PersistentVolumeClaim[];
  readonly deviceClaims?: resourceV1.ResourceClaim[];
  readonly counts?: Record<string, number>;
  readonly spec?: coreV1.ResourceQuotaSpec;
  /** Also what is asked for. */
  readonly used: Record<string, string>;
}

const cases: Case[] = [
  {
    name: "nothing is used of anything",
    used: { pods: "0", cpu: "0", "requests.storage": "0", services: "0", "requests.nvidia.com/gpu": "0" },
  },
  {
    name: "Pods by what they ask for",
    pods: [small, small],
    used: {
      pods: "2",
      "count/pods": "2",
      cpu: "200m",
      "requests.cpu": "200m",
      "limits.cpu": "0",
      memory: "2Mi",
      "limits.memory": "4Mi",
      "requests.nvidia.com/gpu": "2",
    },
  },
  {
    name: "a Pod that has ended is an object only",
    pods: [pod({ requests: { cpu: "1" } }, {}, { phase: "Failed" })],
    used: { pods: "0", "count/pods": "1", cpu: "0" },
  },
  {
    name: "a Pod that should be gone as well",
    pods: [{ ...small, metadata: { deletionTimestamp: "1970-01-01T00:00:00Z", deletionGracePeriodSeconds: 30 } }],
    used: { pods: "0", "count/pods": "1" },
  },
  {
    name: "what a Pod costs beside its containers",
    pods: [pod({ requests: { cpu: "1" } }, { overhead: { cpu: "250m" } })],
    used: { cpu: "1250m", "limits.cpu": "0" },
  },
  {
    name: "best effort that goes on",
    pods: [pod(), small, pod({}, { activeDeadlineSeconds: 5 })],
    spec: { scopes: ["BestEffort", "NotTerminating"] },
    used: { pods: "1" },
  },
  {
    name: "priority classes",
    pods: [pod({}, { priorityClassName: "high" }), pod({}, { priorityClassName: "low" }), pod()],
    spec: { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] } },
    used: { pods: "1" },
  },
  {
    name: "Services by type",
    services: [
      { spec: { type: "NodePort", ports: [{ port: 1 }, { port: 2 }] } },
      { spec: { type: "LoadBalancer", ports: [{ port: 1, nodePort: 30_000 }, { port: 2 }], allocateLoadBalancerNodePorts: false } },
      { spec: { type: "ClusterIP", ports: [{ port: 1 }] } },
    ],
    used: { services: "3", "count/services": "3", "services.nodeports": "3", "services.loadbalancers": "1" },
  },
  {
    name: "claims by class",
    claims: [claim("1Gi", "gold"), claim("2Gi")],
    used: {
      persistentvolumeclaims: "2",
      "requests.storage": "3Gi",
      "gold.storageclass.storage.k8s.io/requests.storage": "1Gi",
      "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
    },
  },
  {
    name: "devices by class, of alternatives the one that takes most, and of all as many as that may be",
    deviceClaims: [
      devices({ exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count: 2 } }),
      devices({
        firstAvailable: [
          { name: "a", deviceClassName: "gpu", allocationMode: "ExactCount", count: 1 },
          { name: "b", deviceClassName: "gpu", allocationMode: "ExactCount", count: 3 },
          { name: "c", deviceClassName: "fpga", allocationMode: "All" },
        ],
      }),
    ],
    used: {
      "count/resourceclaims.resource.k8s.io": "2",
      "gpu.deviceclass.resource.k8s.io/devices": "5",
      "fpga.deviceclass.resource.k8s.io/devices": "32",
    },
  },
  {
    name: "other objects",
    counts: { "configmaps.": 2, "deployments.apps": 3 },
    used: { configmaps: "2", "count/configmaps": "2", "count/deployments.apps": "3" },
  },
];

const contentOf = ({ pods = [], services = [], claims = [], deviceClaims = [], counts = {} }: Case): Content => ({
  pods,
  services,
  claims,
  deviceClaims,
  count: ({ group, resource }) => counts[`${resource}.${group}`],
});

for (const one of cases)
  test(one.name, () => {
    const hard = Object.fromEntries(Object.keys(one.used).map((name) => [name, "100"]));
    assert.deepEqual(nextQuotaStatus({ spec: { ...one.spec, hard } }, contentOf(one), 60_000), { hard, used: one.used });
  });

test("a usage that is unknown stays as it was, and an unchanged status is not written", () => {
  const hard = { "count/seats.cinema.example": "5", cpu: "1000m", nonsense: "1" };
  const status = { hard: { ...hard, cpu: "1" }, used: { "count/seats.cinema.example": "2", cpu: "0" } };
  assert.equal(nextQuotaStatus({ spec: { hard }, status }, contentOf({ name: "", used: {} }), 0), undefined);
});
