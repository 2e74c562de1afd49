/** Clients send objects that say almost nothing: every kind must find words for them, never an exception. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { DecodeReport, decodeInto, type KubeObject } from "@coxswain/machinery";
import { loadDynamic } from "../dynamic/lazy-module.ts";
import { createResourceRegistry } from "../registry/registry.ts";
import type { Strategy } from "../strategy/strategy.ts";

before(loadDynamic);

const one = [{}];
/** Everything that some kind looks into, as empty as it can be; decoding drops what a kind does not have. */
const hollow = {
  spec: {
    ...{
      template: {},
      limits: one,
      rules: one,
      ingress: one,
      egress: one,
      metrics: one,
      behavior: {},
      drivers: one,
      versions: one,
      names: {},
    },
    ...{ mutations: one, validations: one, variables: one, auditAnnotations: one, matchConditions: one, matchResources: {}, paramRef: {} },
    ...{ paramKind: {}, limited: {}, exempt: {}, service: {}, parentRef: {}, source: {}, selectors: one, pool: {} },
    ...{ devices: { requests: one, constraints: one, config: one }, matchConstraints: { resourceRules: one } },
    ...{ scopeSelector: { matchExpressions: one } },
  },
  status: { conditions: one, allocation: {}, reservedFor: one },
  webhooks: [{}, { clientConfig: { service: {} }, rules: one }],
  endpoints: [{}, { hints: {} }],
  ports: one,
  allowedTopologies: [{}, { matchLabelExpressions: one }],
  scheduling: {},
  overhead: {},
  series: {},
  regarding: {},
};
const bodies: readonly Readonly<Record<string, unknown>>[] = [{}, { spec: {} }, { spec: {}, status: {} }, { spec: hollow.spec }, hollow];

for (const { group, version, resource, kind, type, strategy } of createResourceRegistry().all()) {
  test(`${group}/${version} ${resource} takes hollow objects`, () => {
    for (const body of bodies) {
      const object = decoded({ kind, metadata: { name: "x", namespace: "ns" }, ...JSON.parse(JSON.stringify(body)) });
      if (object !== undefined) assert.doesNotThrow(() => exercise(strategy, object));
    }
  });

  /** Undefined where a field of the same name is something else in this kind. */
  function decoded(object: KubeObject): KubeObject | undefined {
    try {
      decodeInto(type, object, new DecodeReport());
      return object;
    } catch {
      return undefined;
    }
  }
}

function exercise(strategy: Strategy, object: KubeObject): void {
  strategy.defaults?.(object);
  strategy.prepareForCreate?.(object);
  const next = structuredClone(object);
  strategy.prepareForUpdate?.(next, object);
  strategy.subresources?.status?.prepareForUpdate?.(next, object, "2026-01-01T00:00:00Z");
  const results = [
    strategy.validate?.(object),
    strategy.validateCreate?.(object),
    strategy.validateUpdate?.(next, object),
    strategy.subresources?.status?.validateUpdate?.(next, object),
    strategy.warnings?.(object, undefined),
    strategy.warnings?.(next, object),
  ];
  for (const messages of results) Array.from<unknown>(messages ?? []);
  strategy.selectableFields?.(next);
  strategy.columns?.cells(next, 0);
  if (typeof strategy.generation === "function") strategy.generation(next, object);
}
