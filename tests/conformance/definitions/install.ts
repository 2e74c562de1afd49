/** Installs definitions and looks at all that has to show them. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { apiextensionsV1 } from "@coxswain/api";
import { hangMs } from "@coxswain/machinery/testing";
import type { Connection, Json } from "./connection.ts";
import type { Definition } from "./projects.ts";

const collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const nameOf = ({ object }: Definition): string => object.metadata?.name ?? "";
const pathOf = (definition: Definition): string => `${collection}/${nameOf(definition)}`;

/** Applied, established, and not changed by applying it again. Resolves with the milliseconds until it was established. */
export async function install(api: Connection, definition: Definition): Promise<number> {
  const started = performance.now();
  const created = await apply(api, definition);
  assert.equal(created.status, 201, `${definition.path}: ${JSON.stringify(created.body)}`);
  await until(async () => conditions((await api.send("GET", pathOf(definition))).body).includes("Established=True"));
  const took = performance.now() - started;
  const again = await apply(api, definition);
  assert.equal(again.status, 200);
  const now = await api.send("GET", pathOf(definition));
  assert.deepEqual(again.body, now.body, `${definition.path}: applied again`);
  assert.ok(conditions(now.body).includes("NamesAccepted=True"), definition.path);
  assert.ok(!conditions(now.body).some((condition) => condition.startsWith("NonStructuralSchema")), definition.path);
  return took;
}

const apply = (api: Connection, definition: Definition) =>
  api.send("PATCH", `${pathOf(definition)}?fieldManager=conformance&fieldValidation=Strict`, {
    type: "application/apply-patch+yaml",
    body: definition.text,
  });

const conditions = (crd: Json): string[] => (crd.status?.conditions ?? []).map(({ type, status }: Json) => `${type}=${status}`);

/** Discovery, the OpenAPI documents and the columns of every served version. */
export async function assertShown(api: Connection, definitions: readonly Definition[]): Promise<void> {
  for (const definition of definitions)
    for (const version of definition.object.spec.versions) if (version.served) await assertVersionShown(api, definition, version);
}

type Version = apiextensionsV1.CustomResourceDefinitionVersion;

async function assertVersionShown(api: Connection, { object, path }: Definition, version: Version): Promise<void> {
  const { group, names, scope } = object.spec;
  const where = `apis/${group}/${version.name}`;
  const about = `${path}, ${version.name}`;
  const { resources } = (await api.send("GET", `/${where}`)).body;
  const found = resources.filter(({ name }: Json) => name.split("/")[0] === names.plural);
  const parts = Object.keys(version.subresources ?? {}).map((part) => `${names.plural}/${part}`);
  assert.deepEqual(found.map(({ name }: Json) => name).sort(), [names.plural, ...parts].sort(), about);
  assert.deepEqual([found[0].kind, found[0].namespaced], [names.kind, scope === "Namespaced"], about);

  const document = await api.send("GET", `/openapi/v3/${where}`);
  assert.equal(document.status, 200, about);
  const schemas: Json[] = Object.values(document.body.components.schemas);
  const schema = schemas.find((each) => each["x-kubernetes-group-version-kind"]?.some(({ kind }: Json) => kind === names.kind));
  const described = Object.keys(version.schema?.openAPIV3Schema?.properties ?? {});
  for (const name of described) assert.ok(schema?.properties?.[name] !== undefined, `${about}: OpenAPI has no ${name}`);

  const table = await api.send("GET", `/${where}/${names.plural}`, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
  assert.equal(table.status, 200, about);
  const columns = version.additionalPrinterColumns?.map(({ name }) => name) ?? ["Age"];
  assert.deepEqual(
    table.body.columnDefinitions.map(({ name }: Json) => name),
    ["Name", ...columns],
    about,
  );
}

/** With all their objects. */
export async function remove(api: Connection, definitions: readonly Definition[]): Promise<void> {
  await Promise.all(
    definitions.map(async (definition) => {
      const { status, body } = await api.send("DELETE", pathOf(definition));
      assert.equal(status, 200, JSON.stringify(body));
    }),
  );
  for (const definition of definitions) await until(async () => (await api.send("GET", pathOf(definition))).status === 404);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + hangMs;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, "it never came");
    await delay(5);
  }
}
