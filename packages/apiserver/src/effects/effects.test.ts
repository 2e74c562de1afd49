import assert from "node:assert/strict";
import { test } from "node:test";
import { createResourceRegistry, type ResourceDefinition } from "@coxswain/api";
import { StatusError } from "@coxswain/machinery";
import type { RequestContext } from "../contracts/request-context.ts";
import type { Verb } from "../contracts/request-info.ts";
import { createEffects } from "./effects.ts";
import type { EffectServices } from "./services.ts";

const registry = createResourceRegistry();
const definitionOf = (group: string, version: string, resource: string): ResourceDefinition => {
  const found = registry.find(group, version, resource);
  assert.ok(found, `${group}/${version} ${resource}`);
  return found;
};
const pods = definitionOf("", "v1", "pods");

/** Effects are made of services, and use none before a request comes. */
const rest = { servePart: async () => ({ status: 299, contentType: "", body: { kind: "bytes", bytes: new Uint8Array(0) } }) };
const effects = createEffects({ rest, access: {}, cluster: {}, reader: {} } as unknown as EffectServices);

test("every subresource of the built-in resources is served", () => {
  const missing = [...registry.all()].flatMap((definition) =>
    [...definition.subresources.keys()]
      .filter((name) => effects.subresource(definition, name) === undefined)
      .map((name) => `${definition.group}/${definition.resource}/${name}`),
  );
  assert.deepEqual(missing, []);
});

test("every built-in resource of which nothing is stored is answered by an effect", () => {
  const missing = [...registry.all()]
    .filter((definition) => definition.storagePrefix === undefined && effects.resource(definition) === undefined)
    .map(({ group, resource }) => `${group}/${resource}`);
  assert.deepEqual(missing, []);
  assert.equal(effects.resource(pods), undefined);
});

const answers: readonly { name: string; on: ResourceDefinition; expect: string | undefined }[] = [
  { name: "log", on: pods, expect: "connection" },
  { name: "binding", on: pods, expect: "result" },
  { name: "status", on: pods, expect: "object" },
  { name: "resize", on: pods, expect: "object" },
  { name: "log", on: definitionOf("", "v1", "services"), expect: undefined },
  { name: "toString", on: pods, expect: undefined },
];
for (const { name, on, expect } of answers)
  test(`${on.resource}/${name} answers ${expect ?? "nothing"}`, () => assert.equal(effects.subresource(on, name)?.answers, expect));

test("a subresource with a strategy alone is a part of the object", async () => {
  const ctx = { resource: { definition: pods }, info: { subresource: "resize" } } as Partial<RequestContext> as RequestContext;
  assert.equal((await effects.subresource(pods, "resize")?.handle(ctx))?.status, 299);
});

const refused: readonly { verb: Verb; name: string; code: number }[] = [
  { verb: "list", name: "", code: 405 },
  { verb: "update", name: "", code: 405 },
  { verb: "get", name: "named", code: 404 },
  { verb: "create", name: "named", code: 404 },
];
for (const { verb, name, code } of refused)
  test(`a review is not there to ${verb}${name === "" ? "" : " by name"}`, () => {
    const handle = effects.resource(definitionOf("authentication.k8s.io", "v1", "tokenreviews"));
    const ctx = { info: { verb, name } } as Partial<RequestContext> as RequestContext;
    assert.throws(
      () => handle?.(ctx),
      (error) => error instanceof StatusError && error.code === code,
    );
  });
