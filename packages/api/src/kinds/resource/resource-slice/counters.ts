/** What the devices of one machine share, and how much of it each takes. */
import { field, validateDns1123Label } from "@coxswain/machinery";
import type { Counter, CounterSet, DeviceCounterConsumption } from "@coxswain/types/resource-v1";
import { addInvalid, type Errors } from "../../../validation/checks.ts";

const maxCounters = 32;

export function validateCounterSet(out: Errors, path: string, { name, counters }: Readonly<CounterSet>): void {
  validateName(out, `${path}.name`, name);
  validateCounters(out, `${path}.counters`, counters);
}

export function validateConsumption(out: Errors, path: string, { counterSet, counters }: Readonly<DeviceCounterConsumption>): void {
  validateName(out, `${path}.counterSet`, counterSet);
  validateCounters(out, `${path}.counters`, counters);
}

function validateName(out: Errors, path: string, name: string): void {
  if (!name) out.push(field.required(path));
  else addInvalid(out, path, name, validateDns1123Label(name));
}

function validateCounters(out: Errors, path: string, counters: Readonly<Record<string, Counter>> | undefined): void {
  const names = Object.keys(counters ?? {});
  if (names.length === 0) out.push(field.required(path));
  else if (names.length > maxCounters) out.push(field.tooMany(path, names.length, maxCounters));
  else for (const name of names) addInvalid(out, path, name, validateDns1123Label(name));
}
