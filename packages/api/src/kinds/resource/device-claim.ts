/**
 * Which devices a claim asks for. Device selectors are CEL expressions, which are not compiled here.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
 */
import { field, isDns1123Label, isDns1123Subdomain, isLabelValue } from "@coxswain/machinery";
import { checkLabelKey } from "../../meta/parts.ts";
import { type Errors, oneOf, refuse, requiredOneOf } from "../../pod/checks.ts";
import type {
  DeviceClaim,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
  OpaqueDeviceConfiguration,
} from "../../types/resource-v1.ts";
import { validateDriverName } from "./driver-name.ts";

const maxItems = 32;
const maxAlternatives = 8;
const maxExpressionLength = 10 * 1024;

type Wanted = ExactDeviceRequest | DeviceSubRequest;

export function defaultDeviceClaim({ requests }: DeviceClaim): void {
  for (const { exactly, firstAvailable = [] } of requests ?? []) {
    for (const wanted of [...(exactly === undefined ? [] : [exactly]), ...firstAvailable]) {
      wanted.allocationMode ||= "ExactCount";
      if (wanted.allocationMode === "ExactCount") wanted.count ||= 1;
      for (const toleration of wanted.tolerations ?? []) toleration.operator ||= "Equal";
    }
  }
}

export function validateDeviceClaim(out: Errors, path: string, claim: Readonly<DeviceClaim>): void {
  const { constraints = [], config = [] } = claim;
  const requests = claim.requests ?? [];
  validateNamed(out, `${path}.requests`, requests, maxItems, validateRequest);
  refuseTooMany(out, `${path}.constraints`, constraints, maxItems);
  for (const [i, { requests: names = [], matchAttribute, distinctAttribute }] of constraints.entries()) {
    validateRequestNames(out, `${path}.constraints[${i}].requests`, names, requests);
    if (matchAttribute !== undefined || distinctAttribute !== undefined) continue;
    const why = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    out.push(field.required(`${path}.constraints[${i}]`, why));
  }
  refuseTooMany(out, `${path}.config`, config, maxItems);
  for (const [i, { requests: names = [], opaque }] of config.entries()) {
    validateRequestNames(out, `${path}.config[${i}].requests`, names, requests);
    validateOpaque(out, `${path}.config[${i}].opaque`, opaque);
  }
}

export function validateSelectors(out: Errors, path: string, selectors: readonly DeviceSelector[]): void {
  refuseTooMany(out, path, selectors, maxItems);
  for (const [i, { cel }] of selectors.entries()) {
    if (cel === undefined) out.push(field.required(`${path}[${i}].cel`));
    else if (cel.expression.length > maxExpressionLength) out.push(field.tooLong(`${path}[${i}].cel.expression`, maxExpressionLength));
  }
}

export function validateOpaque(out: Errors, path: string, opaque: Readonly<OpaqueDeviceConfiguration> | undefined): void {
  if (opaque === undefined) out.push(field.required(path));
  else validateDriverName(out, `${path}.driver`, opaque.driver);
}

export function refuseTooMany(out: Errors, path: string, items: readonly unknown[], max: number): void {
  if (items.length > max) out.push(field.tooMany(path, items.length, max));
}

function validateNamed<T extends { readonly name: string }>(
  out: Errors,
  path: string,
  items: readonly T[],
  max: number,
  validate: (out: Errors, path: string, item: T) => void,
): void {
  refuseTooMany(out, path, items, max);
  const names = new Set<string>();
  for (const [i, item] of items.entries()) {
    validate(out, `${path}[${i}]`, item);
    if (names.has(item.name)) out.push(field.duplicate(`${path}[${i}]`, item.name));
    names.add(item.name);
  }
}

function validateName(out: Errors, path: string, name: string): void {
  if (!name) out.push(field.required(path));
  else refuse(out, path, name, isDns1123Label(name));
}

function validateRequest(out: Errors, path: string, request: Readonly<DeviceRequest>): void {
  const { name, exactly, firstAvailable = [] } = request;
  validateName(out, `${path}.name`, name);
  const oneIsRequired = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly === undefined && firstAvailable.length === 0) out.push(field.required(path, oneIsRequired));
  else if (exactly !== undefined && firstAvailable.length > 0) {
    out.push(field.invalid(path, null, `${oneIsRequired}, but multiple fields are set`));
  } else if (exactly !== undefined) validateWanted(out, `${path}.exactly`, exactly);
  else {
    validateNamed(out, `${path}.firstAvailable`, firstAvailable, maxAlternatives, (errors, at, alternative) => {
      validateName(errors, `${at}.name`, alternative.name);
      validateWanted(errors, at, alternative);
    });
  }
}

function validateWanted(out: Errors, path: string, wanted: Readonly<Wanted>): void {
  const { deviceClassName, selectors = [], allocationMode, count = 0, tolerations = [] } = wanted;
  if (!deviceClassName) out.push(field.required(`${path}.deviceClassName`));
  else refuse(out, `${path}.deviceClassName`, deviceClassName, isDns1123Subdomain(deviceClassName));
  validateSelectors(out, `${path}.selectors`, selectors);
  if (allocationMode === "All" && count !== 0) {
    out.push(field.invalid(`${path}.count`, count, "must not be specified when allocationMode is 'All'"));
  } else if (allocationMode === "ExactCount" && count <= 0) {
    out.push(field.invalid(`${path}.count`, count, "must be greater than zero"));
  }
  oneOf(out, `${path}.allocationMode`, allocationMode, ["All", "ExactCount"]);
  for (const [i, toleration] of tolerations.entries()) validateToleration(out, `${path}.tolerations[${i}]`, toleration);
}

function validateToleration(out: Errors, path: string, { key, operator, value = "", effect }: Readonly<DeviceToleration>): void {
  if (key) checkLabelKey(out, key, `${path}.key`);
  if (operator === "Exists") {
    if (value !== "") out.push(field.invalid(`${path}.value`, value, "must be empty for operator `Exists`"));
  } else if (operator === "Equal") refuse(out, `${path}.value`, value, isLabelValue(value));
  requiredOneOf(out, `${path}.operator`, operator, ["Equal", "Exists"]);
  if (effect) oneOf(out, `${path}.effect`, effect, ["NoExecute", "NoSchedule", "None"]);
}

/** References to requests, or to their alternatives as `request/alternative`. */
function validateRequestNames(out: Errors, path: string, names: readonly string[], requests: readonly DeviceRequest[]): void {
  refuseTooMany(out, path, names, maxItems);
  for (const [i, name] of names.entries()) {
    const [first, second, ...more] = name.split("/");
    const request = requests.find((candidate) => candidate.name === first);
    const known = request !== undefined && (second === undefined || request.firstAvailable?.some((sub) => sub.name === second));
    if (more.length === 0) for (const part of name.split("/")) validateName(out, `${path}[${i}]`, part);
    if (!known || more.length > 0) {
      const why = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
      out.push(field.invalid(`${path}[${i}]`, name, why));
    }
    if (names.indexOf(name) < i) out.push(field.duplicate(`${path}[${i}]`, name));
  }
}
