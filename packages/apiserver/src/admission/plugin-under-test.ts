/** One plugin, asked about one write where some other objects are stored. */
import { createResourceRegistry } from "@coxswain/api";
import { type KubeObject, ManualClock, parseApiVersion, StatusError } from "@coxswain/machinery";
import { createMemoryStore } from "@coxswain/store";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { keyOf, servedResources } from "../storage/served-resource.ts";
import { encodeObject, ObjectCache } from "../storage/stored-object.ts";

export interface Asked {
  /** With kind and apiVersion. */
  readonly object: KubeObject;
  readonly previous?: KubeObject;
  readonly subresource?: string;
  /** With kind, apiVersion and a name; all of them in no namespace. */
  readonly stored?: readonly KubeObject[];
}

const registry = createResourceRegistry();
const served = servedResources(registry);

const resourceOf = ({ apiVersion = "", kind }: KubeObject) => {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: "", version: "" };
  const definition = registry.byKind(group, version, kind ?? "");
  if (definition === undefined) throw new Error(`${apiVersion} ${kind} is no built-in kind`);
  return served.of(definition);
};

/** What became of the object, or the sentence with which it was refused; the object itself where the plugin has no say. */
export async function admitted(factory: AdmissionPluginFactory<ObjectReader>, asked: Asked): Promise<Readonly<KubeObject> | string> {
  const { previous, subresource = "", stored = [] } = asked;
  const store = createMemoryStore({ clock: new ManualClock() });
  for (const one of stored) {
    const key = keyOf(resourceOf(one), "", one.metadata?.name ?? "");
    await store.write({ op: "put", key, value: encodeObject(one), expect: "absent" }, { user: "tester" });
  }
  const object = structuredClone(asked.object);
  const plugin = factory.create({ served, store, cache: new ObjectCache() });
  const request: AdmissionRequest = {
    operation: previous === undefined ? "create" : "update",
    resource: resourceOf(subresource === "binding" ? { apiVersion: "v1", kind: "Pod" } : object),
    subresource,
    namespace: object.metadata?.namespace ?? "",
    name: object.metadata?.name ?? "",
    user: { name: "tester", uid: "", groups: [], extra: {} },
    dryRun: false,
    object,
    previous,
    warnings: [],
  };
  if (!plugin.handles(request)) return object;
  try {
    await plugin.mutate?.(request);
    await plugin.validate?.(request);
    return object;
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}
