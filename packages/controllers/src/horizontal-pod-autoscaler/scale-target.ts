/** What is scaled, through its scale subresource. */
import { type Client, isNoMatch, type ResourceRef, retryOnConflict } from "@coxswain/client";
import { apiVersionOf, isConflict, type KubeObject, parseApiVersion } from "@coxswain/machinery";
import type { Hpa } from "./hpa-types.ts";

export interface ScaleTarget {
  readonly ref: ResourceRef;
  readonly scale: Scale;
}

export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}

/** @throws Error with Kubernetes' own text */
export async function readTarget(client: Client, { metadata, spec }: Hpa, signal: AbortSignal): Promise<ScaleTarget> {
  const ref = await resourceOf(client, spec.scaleTargetRef, signal);
  const target = { namespace: metadata?.namespace, name: spec.scaleTargetRef.name };
  return { ref, scale: (await client.resource(ref).subresource(target, "scale").get({ signal })) as Scale };
}

/** The group counts, whichever of its versions is named. */
async function resourceOf(
  client: Client,
  { apiVersion = "v1", kind }: Hpa["spec"]["scaleTargetRef"],
  signal: AbortSignal,
): Promise<ResourceRef> {
  const group = parseApiVersion(apiVersion)?.group;
  if (group === undefined) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  try {
    return await client.refOf({ apiVersion, kind }, { signal });
  } catch (error) {
    if (!isNoMatch(error)) throw error;
  }
  const { resources } = await client.discover({ signal });
  const found = resources.find((one) => one.group === group && one.kind === kind);
  if (found === undefined) throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`);
  return client.refOf({ apiVersion: apiVersionOf(found), kind }, { signal });
}

export async function rescale(client: Client, { ref, scale }: ScaleTarget, replicas: number, signal: AbortSignal): Promise<void> {
  const { namespace, name = "" } = scale.metadata ?? {};
  const subresource = client.resource(ref).subresource({ namespace, name }, "scale");
  let current = scale;
  const attempt = async (): Promise<void> => {
    try {
      await subresource.update({ ...current, spec: { ...current.spec, replicas } } as Scale, { signal });
    } catch (error) {
      if (isConflict(error)) current = (await subresource.get({ signal })) as Scale;
      throw error;
    }
  };
  await retryOnConflict(attempt, { clock: client.clock, random: client.random, signal });
}
