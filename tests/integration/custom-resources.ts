/** Widgets: a CustomResourceDefinition whose parts each test bends to its purpose. */
import assert from "node:assert/strict";
import type { Answer, Api, Json } from "./api.ts";
import { definitions, until } from "./conversion-webhook.ts";

export const group = "example.com";
export const widgetsName = `widgets.${group}`;
export const merge = "application/merge-patch+json";
export const applyPatch = "application/apply-patch+yaml";

/** Where widgets of a namespace are, in the version. */
export const widgetsIn = (namespace: string, version = "v1"): string => `/apis/${group}/${version}/namespaces/${namespace}/widgets`;
export const widgets = widgetsIn("default");
export const definitionPath = (name = widgetsName): string => `${definitions}/${name}`;

export interface Shape {
  /** Of the whole object, beside apiVersion, kind and metadata. */
  readonly properties?: Json;
  /** Of `spec`, where `properties` does not say it. */
  readonly spec?: Json;
}

export const schemaOf = ({ spec = { size: { type: "integer" }, color: { type: "string" } }, properties }: Shape = {}) => ({
  openAPIV3Schema: { type: "object", properties: properties ?? { spec: { type: "object", properties: spec } } },
});

export const versionOf = (name: string, more: Json = {}) => ({ name, served: true, storage: false, schema: schemaOf(), ...more });

/** With one version, v1, by default. `v1` and `names` add to what that has. */
export function definitionOf({ v1 = {}, names = {}, plural = "widgets", kind = "Widget", ...spec }: Json = {}): Json {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind, ...names },
      versions: [versionOf("v1", { storage: true, ...v1 })],
      ...spec,
    },
  };
}

/** Resolves once it is established. */
export async function define(api: Api, definition: Json = definitionOf()): Promise<void> {
  const { status, text } = await api.send("POST", definitions, { body: definition });
  assert.equal(status, 201, text);
  await untilCondition(api, definition.metadata.name, "Established", "True");
}

export async function untilCondition(api: Api, name: string, type: string, status: string): Promise<Json> {
  let found: Json;
  await until(async () => {
    found = await conditionOf(api, name, type);
    return found?.status === status;
  });
  return found;
}

export async function conditionOf(api: Api, name: string, type: string): Promise<Json> {
  const { body } = await api.send("GET", definitionPath(name));
  return body.status?.conditions?.find((condition: Json) => condition.type === type);
}

/** Changes the definition as it is now, and stores it. */
export async function redefine(api: Api, change: (definition: Json) => void, name = widgetsName): Promise<Answer> {
  for (;;) {
    const { body } = await api.send("GET", definitionPath(name));
    change(body);
    const answer = await api.send("PUT", definitionPath(name), { body });
    if (answer.status !== 409) return answer;
  }
}

export const untilGone = (api: Api, path = definitionPath()): Promise<void> =>
  until(async () => (await api.send("GET", path)).status === 404);

export const widget = (name: string, fields: Json = { spec: { size: 1 } }, version = "v1"): Json => ({
  apiVersion: `${group}/${version}`,
  kind: "Widget",
  metadata: { name },
  ...fields,
});

export async function createWidget(api: Api, name: string, fields?: Json, path = widgets): Promise<Json> {
  const { status, text, body } = await api.send("POST", path, { body: widget(name, fields, path.split("/")[3]) });
  assert.equal(status, 201, text);
  return body;
}

export const namesOf = ({ body }: Answer): string[] => body.items.map(({ metadata }: Json) => metadata.name);
