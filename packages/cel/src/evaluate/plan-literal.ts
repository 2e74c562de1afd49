/** Lists, maps and messages. Those of constants are made once. */
import type { ListExpr, MapExpr, StructExpr } from "../syntax/ast.ts";
import { ArrayList, EntriesMap } from "../values/collections.ts";
import { noSuchOverload } from "../values/typed.ts";
import { CelDuration, CelError, CelOptional, CelTimestamp, type CelValue } from "../values/value.ts";
import { callPlan, constantPlan, type Eval, Frame, type Plan, run } from "./frame.ts";
import type { PlanContext } from "./plan-context.ts";

const listCost = 10;
const mapCost = 30;
const structCost = 40;

export function planList(planner: PlanContext, { elements, optional }: ListExpr): Plan {
  const plans = elements.map((element) => planner.plan(element));
  const items = plans.map((plan, index) => ({ value: run(plan), optional: optional.has(index) }));
  const make = (frame: Frame): CelValue => {
    const values: CelValue[] = [];
    for (const item of items) {
      const value = present(item.value(frame), item.optional);
      if (value !== undefined) values.push(value);
    }
    return new ArrayList(values);
  };
  return foldConstant(plans, make, listCost);
}

export function planMap(planner: PlanContext, { entries }: MapExpr): Plan {
  const plans = entries.flatMap(({ key, value }) => [planner.plan(key), planner.plan(value)]);
  const parts = entries.map(({ key, value, optional }) => ({ key: planner.run(key), value: planner.run(value), optional }));
  const make = (frame: Frame): CelValue => {
    const made: [CelValue, CelValue][] = [];
    for (const part of parts) {
      const key = part.key(frame);
      const value = present(part.value(frame), part.optional);
      if (value !== undefined) made.push([key, value]);
    }
    return EntriesMap.of(made);
  };
  return foldConstant(plans, make, mapCost);
}

export function planStruct(planner: PlanContext, { typeName, fields }: StructExpr): Plan {
  const parts = fields.map(({ name, value, optional }) => ({ name, value: planner.run(value), optional }));
  return callPlan((frame) => {
    const made = new Map<string, CelValue>();
    for (const part of parts) {
      const value = present(part.value(frame), part.optional);
      if (value !== undefined) made.set(part.name, value);
    }
    frame.charge(structCost);
    return createStruct(planner, typeName, made);
  });
}

function createStruct(planner: PlanContext, typeName: string, fields: ReadonlyMap<string, CelValue>): CelValue {
  if (typeName === "google.protobuf.Timestamp" || typeName === "google.protobuf.Duration") {
    const [seconds = 0n, nanos = 0n] = [fields.get("seconds"), fields.get("nanos")];
    if (typeof seconds !== "bigint" || typeof nanos !== "bigint") throw noSuchOverload();
    const total = seconds * 1_000_000_000n + nanos;
    return typeName.endsWith("Timestamp") ? new CelTimestamp(total) : new CelDuration(total);
  }
  const { create } = planner.declarations.types;
  if (!create) throw new CelError(`unknown type: ${typeName}`);
  return create(typeName, fields);
}

/** What an entry adds; undefined when it is an optional with nothing in it. */
function present(value: CelValue, optional: boolean): CelValue | undefined {
  if (!optional) return value;
  if (!(value instanceof CelOptional)) throw new CelError("cannot initialize optional entry from non-optional value");
  return value.value;
}

function foldConstant(parts: readonly Plan[], make: Eval, cost: number): Plan {
  if (parts.every(({ constant }) => constant !== undefined)) return constantPlan(make(new Frame([], Infinity, 0)));
  return callPlan((frame) => {
    const value = make(frame);
    frame.charge(cost);
    return value;
  });
}
