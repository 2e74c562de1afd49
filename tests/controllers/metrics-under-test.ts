/** In place of whoever serves metrics: custom resources of their groups, which a test writes as it likes. */
import { type api, type Client, customResourceDefinitions, defineResource, type KubeObject } from "@coxswain/client";

interface ExternalMetric extends KubeObject {
  value: string;
}
const lengths = defineResource<ExternalMetric>({
  group: "external.metrics.k8s.io",
  version: "v1beta1",
  resource: "queuelength",
  kind: "ExternalMetricValue",
  namespaced: true,
});

const definitionOf = (group: string, plural: string, kind: string): api.apiextensionsV1.CustomResourceDefinition => ({
  metadata: { name: `${plural}.${group}`, annotations: { "api-approved.kubernetes.io": "unapproved, test-only" } },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural, singular: plural, kind },
    versions: [
      {
        name: "v1beta1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});

/** A queue has 35 in it. */
export async function defineMetrics(client: Client): Promise<void> {
  const definitions = client.resource(customResourceDefinitions);
  await definitions.create(definitionOf("metrics.k8s.io", "pods", "PodMetrics"));
  await definitions.create(definitionOf("external.metrics.k8s.io", "queuelength", "ExternalMetricValue"));
  await client.resource(lengths).create({ metadata: { name: "a" }, value: "35" });
}

/** So many for each Pod. */
export const queueLength = (averageValue: string): api.autoscalingV2.MetricSpec => ({
  type: "External",
  external: { metric: { name: "queuelength" }, target: { type: "AverageValue", averageValue } },
});

export const autoscaled = (replicas: number): api.appsV1.Deployment => ({
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "c", image: "web", resources: { requests: { cpu: "100m" } } }] },
    },
  },
});

export const autoscalerOf = (spec: Partial<api.autoscalingV2.HorizontalPodAutoscalerSpec>): api.autoscalingV2.HorizontalPodAutoscaler => ({
  metadata: { name: "web" },
  spec: { maxReplicas: 10, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, ...spec },
});
