/**
 * Every container's image is pulled whenever it starts, so that only who has the credentials can use an image that is on a node.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#alwayspullimages
 */
import type { coreV1 } from "@coxswain/api";
import { field, unexplained } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import { isPodWrite } from "./pod-writes.ts";
import { refused } from "./refused.ts";

export const alwaysPullImages: AdmissionPluginFactory = {
  name: "AlwaysPullImages",
  offByDefault: true,
  create: () => ({
    handles: (request) => isPodWrite(request) && hasNewImage(request),
    mutate({ object }) {
      const { spec } = object as coreV1.Pod;
      for (const { container } of containersOf(spec)) container.imagePullPolicy = "Always";
      for (const { image } of spec?.volumes ?? []) if (image !== undefined) image.pullPolicy = "Always";
    },
    validate(request) {
      const { spec } = request.object as coreV1.Pod;
      const wrong = containersOf(spec)
        .filter(({ container }) => container.imagePullPolicy !== "Always")
        .map(({ container, path }) => ({ path: `${path}.imagePullPolicy`, policy: container.imagePullPolicy }));
      for (const [i, { image }] of (spec?.volumes ?? []).entries())
        if (image !== undefined && image.pullPolicy !== "Always")
          wrong.push({ path: `spec.volumes[${i}].image.pullPolicy`, policy: image.pullPolicy });
      const messages = wrong.map(({ path, policy }) => messageOf(request, path, policy ?? ""));
      // Several errors have no reason and no code of their own, nor has one among several.
      if (messages.length > 0) throw unexplained(messages.length === 1 ? messages.join() : `[${messages.join(", ")}]`);
    },
  }),
};

function messageOf(request: AdmissionRequest, path: string, policy: string): string {
  return refused(request, field.formatFieldError(field.notSupported(path, policy, ["Always"]))).message;
}

interface Found {
  readonly container: coreV1.Container | coreV1.EphemeralContainer;
  readonly path: string;
}

const containersOf = (spec: coreV1.PodSpec | undefined): readonly Found[] =>
  (["initContainers", "containers", "ephemeralContainers"] as const).flatMap((list) =>
    (spec?.[list] ?? []).map((container, i) => ({ container, path: `spec.${list}[${i}]` })),
  );

/** Pods that are there may be changed in other ways without a change of their policies, which they could not have. */
function hasNewImage({ operation, object, previous }: AdmissionRequest): boolean {
  if (operation !== "update") return true;
  const imagesOf = (pod: unknown): (string | undefined)[] =>
    containersOf((pod as coreV1.Pod | undefined)?.spec).map(({ container }) => container.image);
  const known = new Set(imagesOf(previous));
  return imagesOf(object).some((image) => !known.has(image));
}
