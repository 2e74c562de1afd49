/** Rules of the less everyday kinds that no recorded answer shows: a row is one object, or one change, and what is wrong with it. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { DecodeReport, decodeInto, field, type KubeObject } from "@coxswain/machinery";
import { loadDynamic } from "../dynamic/lazy-module.ts";
import { createResourceRegistry } from "../registry/registry.ts";
import type { Strategy } from "../strategy/strategy.ts";
import { validateReplacement } from "../validation/ratcheting.ts";
import { certificatePem, requestPem } from "./certificates/certificate-signing-request/pem-under-test.ts";

before(loadDynamic);

const registry = createResourceRegistry();

interface Case {
  readonly name: string;
  readonly of: readonly [group: string, version: string, resource: string];
  readonly object: Readonly<Record<string, unknown>>;
  /** The object before, for an update. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly status?: true;
  readonly expect: readonly string[];
}

const csr = { request: btoa(requestPem), signerName: "example.com/s", usages: ["client auth"] };
const approved = { conditions: [{ type: "Approved", status: "True" }] };
const crd = {
  metadata: { name: "seats.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "seats", kind: "Seat" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const slice = { driver: "d.example.com", pool: { name: "p", generation: 0, resourceSliceCount: 1 } };
const event = {
  eventTime: "2026-01-01T00:00:00.000000Z",
  action: "A",
  reason: "R",
  type: "Normal",
  regarding: { namespace: "ns" },
  reportingController: "example.com/c",
  reportingInstance: "i",
};

const cases: readonly Case[] = [
  {
    name: "what a priority class may be worth",
    of: ["scheduling.k8s.io", "v1", "priorityclasses"],
    object: { value: 1_000_000_001 },
    expect: ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"],
  },
  {
    name: "system priority classes",
    of: ["scheduling.k8s.io", "v1", "priorityclasses"],
    object: { metadata: { name: "system-mine" }, value: 1 },
    expect: [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    ],
  },
  {
    name: "that a priority stays",
    of: ["scheduling.k8s.io", "v1", "priorityclasses"],
    object: { value: 2 },
    before: { value: 1 },
    expect: ["value: Forbidden: may not be changed in an update."],
  },
  {
    name: "that a storage class stays",
    of: ["storage.k8s.io", "v1", "storageclasses"],
    object: { provisioner: "b", reclaimPolicy: "Retain", allowVolumeExpansion: true },
    before: { provisioner: "a" },
    expect: ['provisioner: Invalid value: "b": field is immutable', 'reclaimPolicy: Invalid value: "Retain": field is immutable'],
  },
  {
    name: "a volume attachment's source",
    of: ["storage.k8s.io", "v1", "volumeattachments"],
    object: { spec: { attacher: "a", nodeName: "n", source: {} } },
    expect: ["spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName"],
  },
  {
    name: "two drivers of one name",
    of: ["storage.k8s.io", "v1", "csinodes"],
    object: {
      spec: {
        drivers: [
          { name: "d", nodeID: "1" },
          { name: "d", nodeID: "" },
        ],
      },
    },
    expect: ["spec.drivers[1].nodeID: Required value", 'spec.drivers[1].name: Duplicate value: "d"'],
  },
  {
    name: "an attributes class without parameters",
    of: ["storage.k8s.io", "v1", "volumeattributesclasses"],
    object: { driverName: "d" },
    expect: ["parameters: Required value: must contain at least one key/value pair"],
  },
  {
    name: "a runtime class's handler",
    of: ["node.k8s.io", "v1", "runtimeclasses"],
    object: { handler: "b" },
    before: { handler: "a" },
    expect: ['handler: Invalid value: "b": field is immutable'],
  },
  {
    name: "ports of a network policy",
    of: ["networking.k8s.io", "v1", "networkpolicies"],
    object: {
      spec: {
        podSelector: {},
        ingress: [
          {
            ports: [
              { port: "http", endPort: 9 },
              { port: 10, endPort: 5 },
            ],
            from: [{}],
          },
        ],
      },
    },
    expect: [
      "spec.ingress[0].ports[0].endPort: Invalid value: 9: may not be specified when `port` is non-numeric",
      "spec.ingress[0].ports[1].endPort: Invalid value: 10: must be greater than or equal to `port`",
      "spec.ingress[0].from[0]: Required value: must specify a peer",
    ],
  },
  {
    name: "an address that is not canonical",
    of: ["networking.k8s.io", "v1", "ipaddresses"],
    object: { metadata: { name: "2001:DB8::1" }, spec: { parentRef: { resource: "services", name: "" } } },
    expect: [
      'metadata.name: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")',
      "spec.parentRef.name: Required value",
    ],
  },
  {
    name: "that ranges may only grow by the other family",
    of: ["networking.k8s.io", "v1", "servicecidrs"],
    object: { spec: { cidrs: ["10.1.0.0/24", "2001:db8::/64"] } },
    before: { spec: { cidrs: ["10.0.0.0/24"] } },
    expect: ['spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable'],
  },
  {
    name: "endpoints nobody could reach",
    of: ["discovery.k8s.io", "v1", "endpointslices"],
    object: { addressType: "IPv4", endpoints: [{ addresses: ["127.0.0.1", "169.254.1.1"] }, { addresses: [] }] },
    expect: [
      'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'endpoints[0].addresses[1]: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
      "endpoints[1].addresses: Required value: must contain at least 1 address",
    ],
  },
  {
    name: "a metric without its source",
    of: ["autoscaling", "v2", "horizontalpodautoscalers"],
    object: { spec: { maxReplicas: 1, scaleTargetRef: { apiVersion: "apps/v1", kind: "D", name: "d" }, metrics: [{ type: "Pods" }] } },
    expect: ["spec.metrics[0].pods: Required value: must populate information for the given metric source"],
  },
  {
    name: "an unknown kind of metric twice, and the name of a container's resource",
    of: ["autoscaling", "v2", "horizontalpodautoscalers"],
    object: {
      spec: {
        maxReplicas: 1,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        metrics: [
          { type: "Guess" },
          {
            type: "ContainerResource",
            containerResource: { name: "widgets", container: "c", target: { type: "Utilization", averageUtilization: 1 } },
          },
        ],
      },
    },
    expect: [
      ...Array<string>(2).fill(
        'spec.metrics[0].type: Unsupported value: "Guess": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      ),
      'spec.metrics[1].containerResource.name: Invalid value: "widgets": must be a standard resource type or fully qualified',
      'spec.metrics[1].containerResource.name: Invalid value: "widgets": must be a standard resource for containers',
    ],
  },
  {
    name: "the same of an autoscaler in the old form",
    of: ["autoscaling", "v1", "horizontalpodautoscalers"],
    object: { spec: { maxReplicas: 0, scaleTargetRef: { apiVersion: "apps/v1", kind: "D", name: "d" } } },
    expect: [
      "spec.maxReplicas: Required value: must be set and greater than 0",
      "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
    ],
  },
  {
    name: "what a quota can count",
    of: ["", "v1", "resourcequotas"],
    object: { spec: { hard: { pods: "1.5", storage: "1", "requests.cpu": "-1" }, scopes: ["BestEffort", "NotBestEffort"] } },
    expect: [
      'spec.hard[pods]: Invalid value: "1500m": must be an integer',
      'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
      'spec.hard[requests.cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
    ],
  },
  {
    name: "limits of a whole Pod",
    of: ["", "v1", "limitranges"],
    object: {
      spec: {
        limits: [
          { type: "Pod", default: { cpu: "1" } },
          { type: "Pod", maxLimitRequestRatio: { cpu: "500m" } },
        ],
      },
    },
    expect: [
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      'spec.limits[1].type: Duplicate value: "Pod"',
      'spec.limits[1].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
    ],
  },
  {
    name: "a new event's fields",
    of: ["events.k8s.io", "v1", "events"],
    object: { ...event, type: "Other", deprecatedCount: 1 },
    expect: ['type: Invalid value: "": has invalid value: Other', 'count: Invalid value: "": needs to be unset'],
  },
  {
    name: "that a new event stays",
    of: ["events.k8s.io", "v1", "events"],
    object: { ...event, note: "other", series: { count: 1, lastObservedTime: "2026-01-01T00:00:00.000000Z" } },
    before: event,
    expect: ['series.count: Invalid value: "": should be at least 2', 'message: Invalid value: "other": field is immutable'],
  },
  {
    name: "a certificate request's signer and usages",
    of: ["certificates.k8s.io", "v1", "certificatesigningrequests"],
    object: { spec: { ...csr, signerName: "signer", usages: ["signing", "signing"], expirationSeconds: 10 } },
    expect: [
      'spec.usages[1]: Duplicate value: "signing"',
      "spec.signerName: Invalid value: \"signer\": must be a fully qualified domain and path of the form 'example.com/signer-name'",
      "spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 600 seconds (10 minutes)",
    ],
  },
  {
    name: "that a decision is not made through the status",
    of: ["certificates.k8s.io", "v1", "certificatesigningrequests"],
    object: { spec: csr, status: approved },
    before: { spec: csr },
    status: true,
    expect: ['status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
  },
  {
    name: "that a certificate stays",
    of: ["certificates.k8s.io", "v1", "certificatesigningrequests"],
    object: { spec: csr, status: { certificate: btoa(certificatePem) } },
    before: { spec: csr, status: { certificate: "eA==" } },
    status: true,
    expect: ["status.certificate: Forbidden: updates may not modify existing certificate content"],
  },
  {
    name: "an API service's name and priorities",
    of: ["apiregistration.k8s.io", "v1", "apiservices"],
    object: { metadata: { name: "x" }, spec: { group: "g.io", version: "v1", groupPriorityMinimum: 0, versionPriority: 1001 } },
    expect: [
      'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.g.io"',
      "spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000",
      "spec.versionPriority: Invalid value: 1001: must be positive and less than 1000",
    ],
  },
  {
    name: "nothing wrong with a plain definition",
    of: ["apiextensions.k8s.io", "v1", "customresourcedefinitions"],
    object: crd,
    expect: [],
  },
  {
    name: "a definition's columns",
    of: ["apiextensions.k8s.io", "v1", "customresourcedefinitions"],
    object: {
      ...crd,
      spec: { ...crd.spec, versions: [{ ...crd.spec.versions[0], additionalPrinterColumns: [{ name: "N", type: "text", jsonPath: "" }] }] },
    },
    expect: [
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      "spec.additionalPrinterColumns[0].JSONPath: Required value",
    ],
  },
  {
    name: "rules of a webhook that cover each other",
    of: ["admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations"],
    object: {
      webhooks: [
        {
          name: "a.example.com",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          clientConfig: { service: { name: "s", namespace: "n", path: "/A" } },
          reinvocationPolicy: "Always",
          rules: [{ operations: ["*", "CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods/*", "pods/log"] }],
        },
      ],
    },
    expect: [
      `webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
      `webhooks[0].rules[0].resources[1]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`,
      "webhooks[0].clientConfig.service.path: Invalid value: \"/A\": segment[0]: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'webhooks[0].reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"',
    ],
  },
  {
    name: "a policy that does nothing",
    of: ["admissionregistration.k8s.io", "v1", "validatingadmissionpolicies"],
    object: { spec: { paramKind: { apiVersion: "v1", kind: "ConfigMap" } } },
    expect: [
      "spec.matchConstraints: Required value",
      "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
      "spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item",
    ],
  },
  {
    name: "what a binding does with violations",
    of: ["admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings"],
    object: { spec: { policyName: "p", validationActions: ["Deny", "Warn"], paramRef: { name: "n" } } },
    expect: [
      "spec.paramRef.parameterNotFoundAction: Required value",
      'spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  },
  {
    name: "a mutation of the wrong type",
    of: ["admissionregistration.k8s.io", "v1", "mutatingadmissionpolicies"],
    object: {
      spec: {
        matchConstraints: { resourceRules: [{ operations: ["DELETE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }] },
        mutations: [{ patchType: "JSONPatch", applyConfiguration: { expression: "x" } }],
        reinvocationPolicy: "Never",
      },
    },
    expect: [
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
      "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch",
    ],
  },
  {
    name: "a flow schema's subjects and verbs",
    of: ["flowcontrol.apiserver.k8s.io", "v1", "flowschemas"],
    object: {
      spec: {
        priorityLevelConfiguration: { name: "l" },
        matchingPrecedence: 1,
        rules: [{ subjects: [{ kind: "User", group: { name: "g" } }], nonResourceRules: [{ verbs: ["see"], nonResourceURLs: ["x"] }] }],
      },
    },
    expect: [
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
      "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'",
      "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
      'spec.rules[0].nonResourceRules[0].verbs: Unsupported value: ["see"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "x": must start with slash',
    ],
  },
  {
    name: "a hand that is larger than the deck",
    of: ["flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations"],
    object: { spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: { queues: 4, handSize: 5 } } } } },
    expect: ["spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)"],
  },
  {
    name: "a claim's requests",
    of: ["resource.k8s.io", "v1", "resourceclaims"],
    object: { spec: { devices: { requests: [{ name: "a" }, { name: "a", exactly: { deviceClassName: "c", count: -1 } }] } } },
    expect: [
      "spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required",
      "spec.devices.requests[1].exactly.count: Invalid value: -1: must be greater than zero",
      'spec.devices.requests[1]: Duplicate value: "a"',
    ],
  },
  {
    name: "a slice that is nowhere",
    of: ["resource.k8s.io", "v1", "resourceslices"],
    object: { spec: slice },
    expect: ["spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"],
  },
  {
    name: "that a slice's driver stays",
    of: ["resource.k8s.io", "v1", "resourceslices"],
    object: { spec: { ...slice, driver: "e.example.com", allNodes: true } },
    before: { spec: { ...slice, allNodes: true } },
    expect: ['spec.driver: Invalid value: "e.example.com": field is immutable'],
  },
];

for (const { name, of, object, before, status, expect } of cases) {
  test(`tells ${name}`, () => {
    const definition = registry.find(...of);
    assert.ok(definition);
    const { strategy, type } = definition;
    const decoded = (fields: Readonly<Record<string, unknown>>): KubeObject => {
      const result: KubeObject = { metadata: { name: "x", namespace: "ns" }, ...structuredClone(fields) };
      decodeInto(type, result, new DecodeReport());
      strategy.defaults?.(result);
      return result;
    };
    const errors = errorsOf(strategy, decoded(object), before && decoded(before), status ?? false);
    assert.deepEqual(errors.map(field.formatFieldError).sort(), [...expect].sort());
  });
}

function errorsOf(strategy: Strategy, next: KubeObject, prev: KubeObject | undefined, status: boolean) {
  if (prev === undefined) {
    strategy.prepareForCreate?.(next);
    return [...(strategy.validate?.(next) ?? []), ...(strategy.validateCreate?.(next) ?? [])];
  }
  if (status) {
    return [...(strategy.subresources?.status?.validateUpdate?.(next, prev) ?? [])];
  }
  strategy.prepareForUpdate?.(next, prev);
  return [...validateReplacement(strategy, next, prev), ...(strategy.validateUpdate?.(next, prev) ?? [])];
}
