/** How a race begins: the visitor's object in the sandbox's server, and what two are to set in it. */
import type { ResourceRef } from "@coxswain/client";
import {
  badRequest,
  isObject,
  type KubeObject,
  messageOf,
  parseYaml,
  type RaceRequest,
  type RaceSample,
  StatusError,
} from "@coxswain/machinery";
import type { TestCluster } from "../../testing/cluster/test-cluster.ts";
import { definitionOf } from "../definitions.ts";
import { onlyValue, parseField } from "./object-field.ts";
import { type Contended, planRace, type RacePlan } from "./race-plan.ts";
import { seatApiVersion, seatDefinition } from "./seat-definition.ts";

export interface RaceStart {
  readonly plan: RacePlan;
  readonly ref: ResourceRef<KubeObject>;
  readonly name: string;
  /** As it was given. */
  readonly manifest: KubeObject;
  /** As it is stored. */
  readonly object: KubeObject;
  /** Of the URL, without the query. */
  readonly path: string;
  /** What two set; undefined where it is no field. */
  readonly contended: Contended | undefined;
  /** The same, as it was written. */
  readonly field: string;
}

/** @throws StatusError */
export async function startOf(request: RaceRequest, cluster: TestCluster): Promise<RaceStart> {
  const { race } = request;
  const sample = { ...(definitionOf(race)?.samples[0] as RaceSample), ...request };
  const contended = race === "pod" ? undefined : contendedOf(sample);
  const manifest = await manifestOf(sample.yaml);
  const { apiVersion = "", kind = "" } = manifest;
  if (race === "pod" && (apiVersion !== "v1" || kind !== "Pod"))
    throw badRequest("scheduler and kubelet race for a Pod: kind Pod of apiVersion v1");
  if (apiVersion === seatApiVersion) await applyDefinition(cluster);
  const ref = await refOf(manifest, cluster);
  const client = cluster.client.resource(ref);
  // Nobody owns what is not in it, so that appliers have something to take.
  const object =
    race === "apply"
      ? await client.apply(manifest, { fieldManager: "user", fieldValidation: "Strict" })
      : await cluster.client.with({ fieldManager: "setup" }).resource(ref).create(manifest, { fieldValidation: "Strict" });
  const { name, namespace } = object.metadata ?? {};
  if (name === undefined || namespace !== cluster.namespace)
    throw badRequest(`an object with a name in the namespace ${cluster.namespace} can be raced for`);
  for (const value of contended?.values ?? []) {
    const patch = onlyValue((contended as Contended).path, value);
    await client.patch(name, { type: "merge", patch }, { dryRun: true, fieldValidation: "Strict" });
  }
  const { group, version, resource } = ref;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return {
    ...{ plan: planRace(race, contended), ref, name, manifest, object, contended, field: sample.field ?? "" },
    path: `${root}/namespaces/${namespace}/${resource}/${name}`,
  };
}

/** @throws badRequest() */
function contendedOf({ field = "", values = ["", ""] }: RaceSample): Contended {
  const path = parseField(field);
  if (path === undefined) throw badRequest(`${JSON.stringify(field)} is no path of a field such as .spec.replicas`);
  return { path, values: [valueIn(values[0]), valueIn(values[1])] };
}

/** JSON, or else a text. */
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @throws badRequest() */
async function manifestOf(yaml: string): Promise<KubeObject> {
  const value = await parseYaml(yaml).catch((error: unknown) => {
    throw badRequest(messageOf(error));
  });
  if (!isObject(value) || typeof value.apiVersion !== "string" || typeof value.kind !== "string")
    throw badRequest("an object has an apiVersion and a kind");
  return value as KubeObject;
}

/** @throws badRequest() */
async function refOf({ apiVersion = "", kind = "" }: KubeObject, cluster: TestCluster): Promise<ResourceRef<KubeObject>> {
  try {
    const ref = await cluster.client.refOf({ apiVersion, kind });
    // What is of the whole cluster may reach beyond it, such as a webhook's configuration.
    if (!ref.namespaced) throw badRequest(`a ${kind} is of a whole cluster: what is in a namespace can be raced for`);
    return ref as ResourceRef<KubeObject>;
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequest(messageOf(error));
  }
}

const applyDefinition = async (cluster: TestCluster): Promise<void> => void (await cluster.applyYaml(seatDefinition));
