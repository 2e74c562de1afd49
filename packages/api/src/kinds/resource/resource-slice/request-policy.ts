/** In which amounts claims may take from the capacity of a device that several of them share. */
import { field, parseQuantity, type Quantity } from "@coxswain/machinery";
import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from "@coxswain/types/resource-v1";
import type { Errors } from "../../../validation/checks.ts";
import { validateSet } from "../../../validation/resource/lists.ts";

const maxValues = 10;

export function validateRequestPolicy(out: Errors, path: string, capacity: string, policy: Readonly<CapacityRequestPolicy>): void {
  const { validValues = [], validRange } = policy;
  if (validValues.length > 0 && validRange !== undefined) {
    const why = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    out.push(field.forbidden(path, why));
    return;
  }
  const way = validValues.length > 0 ? "validValues" : "validRange";
  if (way === "validRange" && validRange === undefined) return;
  const standard = quantityOf(policy.default);
  const whole = quantityOf(capacity);
  if (standard === undefined) out.push(field.required(`${path}.default`, `required when ${way} is defined`));
  else if (whole === undefined) return;
  else if (validRange !== undefined) validateRange(out, `${path}.validRange`, { standard, whole }, validRange);
  else validateValues(out, `${path}.validValues`, { standard, whole }, validValues);
}

const quantityOf = (text: string | undefined): Quantity | undefined => (text === undefined ? undefined : parseQuantity(text));

/** What a claim gets that does not say, and all there is. */
interface Amounts {
  readonly standard: Quantity;
  readonly whole: Quantity;
}

function validateValues(out: Errors, path: string, { standard, whole }: Amounts, values: readonly string[]): void {
  const amounts = values.flatMap((value) => parseQuantity(value) ?? []);
  for (const [i, amount] of amounts.entries()) {
    if (i === 0 || (amounts[i - 1]?.compare(amount) ?? 0) <= 0) continue;
    out.push(field.invalid(`${path}[${i}]`, amount.toString(), "values must be sorted in ascending order"));
  }
  let found = false;
  const check = (errors: Errors, at: string, amount: Quantity) => {
    if (amount.compare(whole) > 0) {
      errors.push(field.invalid(at, amount.toString(), `option is larger than capacity value: ${whole.toString()}`));
    }
    found ||= amount.compare(standard) === 0;
  };
  validateSet(out, path, amounts, { max: maxValues, validate: check, keyOf: (amount) => amount.value().toString() });
  if (!found) out.push(field.invalid(path, standard.toString(), "default value is not valid according to the requestPolicy"));
}

function validateRange(out: Errors, path: string, { standard, whole }: Amounts, range: Readonly<CapacityRequestPolicyRange>): void {
  const [min, max, step] = [quantityOf(range.min), quantityOf(range.max), quantityOf(range.step)];
  if (min === undefined) {
    out.push(field.required(`${path}.min`, "required when validRange is defined"));
    return;
  }
  const refuseIf = (wrong: boolean, name: string, value: Quantity, why: string) => {
    if (wrong) out.push(field.invalid(`${path}.${name}`, value.toString(), why));
  };
  refuseIf(min.compare(whole) > 0, "min", min, `min is larger than capacity value: ${whole.toString()}`);
  refuseIf(standard.compare(min) < 0, "min", standard, `default is less than min: ${min.toString()}`);
  if (max !== undefined) {
    refuseIf(min.compare(max) > 0, "max", min, `min is larger than max: ${max.toString()}`);
    refuseIf(max.compare(whole) > 0, "max", max, `max is larger than capacity value: ${whole.toString()}`);
    refuseIf(standard.compare(max) > 0, "max", standard, `default is more than max: ${max.toString()}`);
  }
  if (step === undefined) return;
  const first = min.add(step);
  refuseIf(first.compare(whole) > 0, "step", step, `one step ${first.toString()} is larger than capacity value: ${whole.toString()}`);
  const stride = step.value();
  for (const amount of max === undefined ? [standard] : [standard, max]) {
    const fits = stride !== 0n && (amount.value() - min.value()) % stride === 0n;
    refuseIf(!fits, "step", amount, `value is not a multiple of a given step (${step.toString()}) from (${min.toString()})`);
  }
}
