import { testRules } from "../rules-under-test.ts";

testRules([
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
]);
