/**
 * Which devices a claim asks for. Device selectors are CEL expressions.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
 */
import { field, stringifyJson, validateDns1123Label, validateDns1123Subdomain, validateLabelValue } from "@coxswain/machinery";
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
  OpaqueDeviceConfiguration,
} from "@coxswain/types/resource-v1";
import { lazyModule } from "../../dynamic/lazy-module.ts";
import { addInvalid, type Errors, oneOf, requiredOneOf } from "../checks.ts";
import { validateLabelKey } from "../metadata/parts.ts";
import { utf8Length } from "../utf8-length.ts";
import { validateDriverName } from "./driver-name.ts";
import { itself, validateList, validateSet } from "./lists.ts";
import { validateFullyQualifiedName } from "./qualified-name.ts";

const deviceSelectors = lazyModule(() => import("./device-selector.ts"));

const maxItems = 32;
const maxAlternatives = 8;
const maxExpressionBytes = 10 * 1024;
const maxDataBytes = 10 * 1024;

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
  validateSet(out, `${path}.requests`, requests, { max: maxItems, validate: validateRequest, keyOf: ({ name }) => name });
  validateList(out, `${path}.constraints`, constraints, {
    max: maxItems,
    validate: (errors, at, constraint) => {
      validateConstraint(errors, at, constraint, requests);
    },
  });
  validateList(out, `${path}.config`, config, {
    max: maxItems,
    validate: (errors, at, { requests: names = [], opaque }) => {
      validateRequestNames(errors, `${at}.requests`, names, requests);
      validateOpaque(errors, `${at}.opaque`, opaque);
    },
  });
}

function validateConstraint(out: Errors, path: string, constraint: Readonly<DeviceConstraint>, requests: readonly DeviceRequest[]): void {
  const { requests: names = [], matchAttribute, distinctAttribute } = constraint;
  validateRequestNames(out, `${path}.requests`, names, requests);
  if (matchAttribute !== undefined) validateFullyQualifiedName(out, `${path}.matchAttribute`, matchAttribute);
  else if (distinctAttribute !== undefined) validateFullyQualifiedName(out, `${path}.distinctAttribute`, distinctAttribute);
  else {
    const why = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    out.push(field.required(path, why));
  }
}

export function validateSelectors(out: Errors, path: string, selectors: readonly DeviceSelector[]): void {
  validateList(out, path, selectors, {
    max: maxItems,
    validate: (errors, at, { cel }) => {
      if (cel === undefined) errors.push(field.required(`${at}.cel`));
      else validateExpression(errors, `${at}.cel.expression`, cel.expression);
    },
  });
}

function validateExpression(out: Errors, path: string, expression: string): void {
  if (utf8Length(expression) > maxExpressionBytes) {
    out.push(field.tooLong(path, maxExpressionBytes));
    return;
  }
  const problem = deviceSelectors().selectorProblem(expression);
  if (problem !== undefined) out.push(field.invalid(path, expression, problem));
}

export function validateOpaque(out: Errors, path: string, opaque: Readonly<OpaqueDeviceConfiguration> | undefined): void {
  if (opaque === undefined) {
    out.push(field.required(path));
    return;
  }
  validateDriverName(out, `${path}.driver`, opaque.driver);
  validateData(out, `${path}.parameters`, opaque.parameters);
}

/** An object that only a driver understands. */
export function validateData(out: Errors, path: string, data: unknown): void {
  if (data === undefined || data === null) out.push(field.required(path));
  else if (utf8Length(stringifyJson(data)) > maxDataBytes) out.push(field.tooLong(path, maxDataBytes));
  else if (typeof data !== "object" || Array.isArray(data)) {
    out.push(field.invalid(path, "<value omitted>", "must be a valid JSON object"));
  }
}

function validateRequest(out: Errors, path: string, request: Readonly<DeviceRequest>): void {
  const { name, exactly, firstAvailable = [] } = request;
  addInvalid(out, `${path}.name`, name, validateDns1123Label(name));
  const oneIsRequired = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly === undefined && firstAvailable.length === 0) out.push(field.required(path, oneIsRequired));
  else if (exactly !== undefined && firstAvailable.length > 0) {
    out.push(field.invalid(path, null, `${oneIsRequired}, but multiple fields are set`));
  } else if (exactly !== undefined) validateWanted(out, `${path}.exactly`, exactly);
  else {
    const check = (errors: Errors, at: string, alternative: DeviceSubRequest) => {
      addInvalid(errors, `${at}.name`, alternative.name, validateDns1123Label(alternative.name));
      validateWanted(errors, at, alternative);
    };
    validateSet(out, `${path}.firstAvailable`, firstAvailable, { max: maxAlternatives, validate: check, keyOf: ({ name }) => name });
  }
}

function validateWanted(out: Errors, path: string, wanted: Readonly<Wanted>): void {
  const { deviceClassName, selectors = [], allocationMode, count = 0, tolerations = [] } = wanted;
  if (!deviceClassName) out.push(field.required(`${path}.deviceClassName`));
  else addInvalid(out, `${path}.deviceClassName`, deviceClassName, validateDns1123Subdomain(deviceClassName));
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
  if (key) validateLabelKey(out, key, `${path}.key`);
  if (operator === "Exists") {
    if (value !== "") out.push(field.invalid(`${path}.value`, value, "must be empty for operator `Exists`"));
  } else if (operator === "Equal") addInvalid(out, `${path}.value`, value, validateLabelValue(value));
  requiredOneOf(out, `${path}.operator`, operator, ["Equal", "Exists"]);
  if (effect) oneOf(out, `${path}.effect`, effect, ["NoExecute", "NoSchedule", "None"]);
}

/** References to requests, or to their alternatives as `request/alternative`. */
export function validateRequestNames(out: Errors, path: string, names: readonly string[], requests: readonly DeviceRequest[]): void {
  validateSet(out, path, names, {
    max: maxItems,
    validate: (errors, at, name) => validateRequestName(errors, at, name, requests),
    keyOf: itself,
  });
}

export function validateRequestName(out: Errors, path: string, name: string, requests: readonly DeviceRequest[]): void {
  const parts = name.split("/");
  const [first, second] = parts;
  if (parts.length <= 2) for (const part of parts) addInvalid(out, path, part, validateDns1123Label(part));
  const request = requests.find((candidate) => candidate.name === first);
  const known = request !== undefined && (second === undefined || request.firstAvailable?.some((sub) => sub.name === second));
  if (known && parts.length <= 2) return;
  const why = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  out.push(field.invalid(path, name, why));
}
