/** What an object that was stored wrong may keep, and what not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { field, type KubeObject } from "@coxswain/machinery";
import { createResourceRegistry } from "../registry/registry.ts";
import { validateReplacement } from "./ratcheting.ts";

const registry = createResourceRegistry();
const container = { name: "c", image: "i", terminationMessagePolicy: "File", imagePullPolicy: "Always" };
const podSpec = { restartPolicy: "Always", dnsPolicy: "ClusterFirst", terminationGracePeriodSeconds: 1, containers: [container] };
const inBadValue = { matchExpressions: [{ key: "a", operator: "In", values: ["-"] }] };
const term = { labelSelector: inBadValue, topologyKey: "t" };
const badValue = /a valid label must be an empty string/;

interface Case {
  readonly name: string;
  readonly of: readonly [group: string, version: string, resource: string];
  readonly bad: object;
  readonly good: object;
  readonly problem: RegExp;
}

const pods = ["", "v1", "pods"] as const;
const cases: readonly Case[] = [
  {
    name: "pages of a size that does not divide them",
    of: pods,
    bad: { spec: { ...podSpec, overhead: { "hugepages-2Mi": "3Mi", memory: "1" } } },
    good: { spec: podSpec },
    problem: /not positive integer multiple/,
  },
  {
    name: "values in an affinity's selector",
    of: pods,
    bad: { spec: { ...podSpec, affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } } },
    good: { spec: podSpec },
    problem: badValue,
  },
  {
    name: "values in a node's affinity",
    of: pods,
    bad: {
      spec: {
        ...podSpec,
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [inBadValue] } } },
      },
    },
    good: { spec: podSpec },
    problem: badValue,
  },
  {
    name: "a selector of a spread constraint",
    of: pods,
    bad: {
      spec: {
        ...podSpec,
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "t", whenUnsatisfiable: "DoNotSchedule", labelSelector: inBadValue }],
      },
    },
    good: { spec: podSpec },
    problem: badValue,
  },
  {
    name: "what a deletion costs",
    of: pods,
    bad: { metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": "much" } }, spec: podSpec },
    good: { spec: podSpec },
    problem: /must be a 32bit integer/,
  },
  {
    name: "settings of the host's network",
    of: pods,
    bad: { spec: { ...podSpec, hostNetwork: true, securityContext: { sysctls: [{ name: "net.a", value: "1" }] } } },
    good: { spec: podSpec },
    problem: /may not be specified when 'hostNetwork' is true/,
  },
  {
    name: "restarts of init containers that are resized",
    of: pods,
    bad: {
      spec: {
        ...podSpec,
        initContainers: [{ ...container, name: "i", resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] }],
      },
    },
    good: { spec: podSpec },
    problem: /for non-sidecar initContainers/,
  },
  {
    name: "an address of a Service with zeros in front",
    of: ["", "v1", "services"],
    bad: {
      spec: {
        type: "ClusterIP",
        sessionAffinity: "None",
        internalTrafficPolicy: "Cluster",
        externalTrafficPolicy: "Cluster",
        ports: [{ port: 1, protocol: "TCP", targetPort: 1 }],
        externalIPs: ["010.0.0.1"],
      },
    },
    good: {
      spec: {
        type: "ClusterIP",
        sessionAffinity: "None",
        internalTrafficPolicy: "Cluster",
        externalTrafficPolicy: "Cluster",
        ports: [{ port: 1, protocol: "TCP", targetPort: 1 }],
        externalIPs: ["011.0.0.1"],
      },
    },
    problem: /must not have leading 0s/,
  },
  {
    name: "a block that names a single address",
    of: ["networking.k8s.io", "v1", "networkpolicies"],
    bad: { spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.1/8" } }] }] } },
    good: { spec: { podSelector: {} } },
    problem: /must not have bits set beyond the prefix length/,
  },
  {
    name: "values in a budget's selector",
    of: ["policy", "v1", "poddisruptionbudgets"],
    bad: { spec: { selector: inBadValue } },
    good: { spec: {} },
    problem: badValue,
  },
];

for (const { name, of, bad, good, problem } of cases) {
  test(`tolerates ${name} where it was before`, () => {
    const definition = registry.find(...of);
    assert.ok(definition);
    const objectOf = (fields: object): KubeObject => ({ metadata: { name: "x", namespace: "ns" }, ...structuredClone(fields) });
    const errors = (next: object, prev: object) =>
      validateReplacement(definition.strategy, objectOf(next), objectOf(prev)).map(field.formatFieldError);
    assert.deepEqual(errors(bad, bad), []);
    assert.match(errors(bad, good).join("\n"), problem);
  });
}
