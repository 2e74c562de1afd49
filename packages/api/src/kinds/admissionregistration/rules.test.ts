import { testRules } from "../rules-under-test.ts";

testRules([
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
]);
