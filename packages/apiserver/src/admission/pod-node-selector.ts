/**
 * Pods get the node selector of their Namespace, and no labels beside those that the configuration allows there.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podnodeselector
 */
import type { coreV1 } from "@coxswain/api";
import { field, unexplained, validateLabelValue, validateQualifiedName } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import type { AdmissionPluginConfigurations } from "../contracts/admission-configuration.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { namespaceOf } from "./namespace-of-request.ts";
import { isPodCreate } from "./pod-writes.ts";
import { refused } from "./refused.ts";

export interface PodNodeSelectorServices extends ObjectReader {
  readonly configuration?: AdmissionPluginConfigurations;
}

type Labels = Readonly<Record<string, string>>;

const annotation = "scheduler.alpha.kubernetes.io/node-selector";

export const podNodeSelector: AdmissionPluginFactory<PodNodeSelectorServices> = {
  name: "PodNodeSelector",
  offByDefault: true,
  create: ({ configuration, ...reader }) => {
    const selectors = new Map(Object.entries(configuration?.podNodeSelector ?? {}));
    const ofNamespace = async (name: string): Promise<Labels> => {
      const { metadata } = await namespaceOf(reader, name);
      return labelsOf(metadata?.annotations?.[annotation] ?? selectors.get("clusterDefaultNodeSelector") ?? "");
    };
    const validate = (request: AdmissionRequest, selector: Labels): void => {
      const { spec } = request.object as coreV1.Pod;
      const given = spec?.nodeSelector ?? {};
      if (Object.entries(selector).some(([key, value]) => (given[key] ?? value) !== value))
        throw refused(request, "pod node label selector conflicts with its namespace node label selector");
      const allowed = labelsOf(selectors.get(request.namespace) ?? "");
      if (Object.keys(allowed).length > 0 && Object.entries(given).some(([key, value]) => allowed[key] !== value))
        throw refused(request, "pod node label selector labels conflict with its namespace whitelist");
    };
    return {
      handles: isPodCreate,
      async mutate(request) {
        const selector = await ofNamespace(request.namespace);
        const { spec } = request.object as coreV1.Pod;
        if (spec === undefined) return;
        const merged = { ...selector, ...spec.nodeSelector };
        if (Object.keys(merged).length > 0) spec.nodeSelector = merged;
        validate(request, selector);
      },
      async validate(request) {
        validate(request, await ofNamespace(request.namespace));
      },
    };
  },
};

/** Of `env=test,disk=ssd`. @throws a failure without a reason, as there */
function labelsOf(selector: string): Labels {
  const labels: Record<string, string> = {};
  for (const part of selector === "" ? [] : selector.split(",")) {
    const words = part.split("=");
    const [key = "", value = ""] = words.map((word) => word.trim());
    if (words.length !== 2) throw unexplained(`invalid selector: [${words.join(" ")}]`);
    const [wrongKey] = validateQualifiedName(key);
    if (wrongKey !== undefined) throw unexplained(field.formatFieldError(field.invalid("<nil>", key, wrongKey)));
    const [wrongValue] = validateLabelValue(value);
    if (wrongValue !== undefined) throw unexplained(field.formatFieldError(field.invalid(`[${key}]`, value, wrongValue)));
    labels[key] = value;
  }
  return labels;
}
