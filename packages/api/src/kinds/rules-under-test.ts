/** Rules of the less everyday kinds that no recorded answer shows: a row is one object, or one change, and what is wrong with it. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { DecodeReport, decodeInto, field, type KubeObject } from "@coxswain/machinery";
import { loadDynamic } from "../dynamic/lazy-module.ts";
import { createResourceRegistry } from "../registry/registry.ts";
import type { Strategy } from "../strategy/strategy.ts";
import { validateReplacement } from "../validation/ratcheting.ts";

before(loadDynamic);

const registry = createResourceRegistry();

export interface Case {
  readonly name: string;
  readonly of: readonly [group: string, version: string, resource: string];
  readonly object: Readonly<Record<string, unknown>>;
  /** The object before, for an update. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly status?: true;
  readonly expect: readonly string[];
}

/** One test for each row. */
export function testRules(cases: readonly Case[]): void {
  for (const { name, of, object, before, status, expect } of cases) {
    test(`reports ${name}`, () => {
      const definition = registry.find(...of);
      assert.ok(definition);
      const { strategy, type } = definition;
      const decoded = (fields: Readonly<Record<string, unknown>>): KubeObject => {
        const result: KubeObject = { metadata: { name: "x", namespace: "ns" }, ...structuredClone(fields) };
        decodeInto(type, result, new DecodeReport());
        strategy.defaults?.(result);
        return result;
      };
      const errors = errorsOf(strategy, decoded(object), before && decoded(before), status ?? false);
      assert.deepEqual(errors.map(field.formatFieldError).sort(), [...expect].sort());
    });
  }
}

function errorsOf(strategy: Strategy, next: KubeObject, prev: KubeObject | undefined, status: boolean) {
  if (prev === undefined) {
    strategy.prepareForCreate?.(next);
    return [...(strategy.validate?.(next) ?? []), ...(strategy.validateCreate?.(next) ?? [])];
  }
  if (status) {
    return [...(strategy.subresources?.status?.validateUpdate?.(next, prev) ?? [])];
  }
  strategy.prepareForUpdate?.(next, prev);
  return [...validateReplacement(strategy, next, prev), ...(strategy.validateUpdate?.(next, prev) ?? [])];
}
