/** The query parameters of each verb, parsed once and checked as Kubernetes checks them. */
import { badRequest, type FieldError, field, goQuote, invalid, type StatusError, unexplained } from "@coxswain/machinery";

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  readonly force: boolean;
}

export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: "Foreground" | "Background" | "Orphan" | undefined;
  /** The older way to say Background: the answer is 202 while dependents, or finalizers, are still there. */
  readonly cascades: boolean;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  /** Whether admission was asked before, as with an Eviction. */
  readonly admitted?: boolean;
}

const noQuery = new URLSearchParams();
const defaultWrite: WriteOptions = { dryRun: false, fieldManager: "", fieldValidation: "Warn", force: false };

export const parseQuery = (query: string): URLSearchParams => (query === "" ? noQuery : new URLSearchParams(query));

/** `kind` is CreateOptions, UpdateOptions or PatchOptions: errors name it. */
export function parseWriteOptions(query: URLSearchParams, kind: string, apply = false): WriteOptions {
  if (query.size === 0) {
    if (!apply) return defaultWrite;
  }
  const errors: FieldError[] = [];
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const force = parseBool(query.get("force"));
  if (kind === "PatchOptions" && !apply && query.has("force"))
    errors.push(field.forbidden("force", "may not be specified for non-apply patch"));
  if (apply && fieldManager === "") errors.push(field.required("fieldManager", "is required for apply patch"));
  errors.push(...fieldManagerErrors(fieldManager), ...dryRunErrors(dryRun));
  if (!["", "Ignore", "Warn", "Strict"].includes(fieldValidation)) {
    errors.push(field.notSupported("fieldValidation", fieldValidation, ["", "Ignore", "Strict", "Warn"]));
  }
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === "" ? "Warn" : (fieldValidation as WriteOptions["fieldValidation"]),
    force,
  };
}

export function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  const wrong = dryRun.some((value) => value !== "All");
  return wrong ? [field.notSupported("dryRun", dryRun, ["All"])] : [];
}

function fieldManagerErrors(manager: string): FieldError[] {
  if (plain.test(manager)) return [];
  const errors: FieldError[] = [];
  if (utf8.encode(manager).byteLength > 128) errors.push(field.tooLong("fieldManager", 128));
  let position = 0;
  for (const rune of manager) {
    if (unprintable.test(rune))
      errors.push(field.invalid("fieldManager", manager, `invalid character ${goRune(rune)} (at position ${position})`));
    position += utf8.encode(rune).byteLength;
  }
  return errors;
}

/** What almost all managers are called: printable characters of ASCII, and not too many. */
const plain = /^[ -~]{0,128}$/;
const utf8 = new TextEncoder();
const unprintable = /(?! )[\p{C}\p{Z}]/u;

/** As in `U+0009`. */
const goRune = (rune: string): string => `U+${(rune.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

export function parseListOptions(query: URLSearchParams): ListOptions {
  const match = query.get("resourceVersionMatch") ?? "";
  const sendInitialEvents = query.get("sendInitialEvents");
  const timeout = parseInteger(query.get("timeoutSeconds"));
  return {
    labelSelector: query.get("labelSelector") ?? "",
    fieldSelector: query.get("fieldSelector") ?? "",
    limit: Math.max(0, parseInteger(query.get("limit")) ?? 0),
    continue: query.get("continue") ?? "",
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: match as ListOptions["resourceVersionMatch"],
    timeoutSeconds: timeout,
    allowWatchBookmarks: parseBool(query.get("allowWatchBookmarks")),
    sendInitialEvents: sendInitialEvents === null ? undefined : parseBool(sendInitialEvents),
  };
}

/** @see https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list */
export function checkListOptions(options: ListOptions, watch: boolean): void {
  const errors = watch ? watchOptionErrors(options) : listOptionErrors(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
}

const matchField = "resourceVersionMatch";

function listOptionErrors({ resourceVersionMatch: match, resourceVersion, sendInitialEvents, continue: token }: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== "") {
    if (resourceVersion === "")
      errors.push(field.forbidden(matchField, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    if (token !== "") errors.push(field.forbidden(matchField, "resourceVersionMatch is forbidden when continue is provided"));
    if (match !== "Exact" && match !== "NotOlderThan") errors.push(field.notSupported(matchField, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && resourceVersion === "0") {
      errors.push(field.forbidden(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendInitialEvents !== undefined) errors.push(field.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

/** A watch that says nothing else begins with what is there, and is checked as if it had asked for that. */
function watchOptionErrors(options: ListOptions): FieldError[] {
  const { resourceVersion, continue: token } = options;
  let { resourceVersionMatch: match, sendInitialEvents } = options;
  const errors: FieldError[] = [];
  const newest = "NotOlderThan";
  if (match === "" && sendInitialEvents === undefined && (resourceVersion === "" || resourceVersion === "0")) {
    match = newest;
    sendInitialEvents = true;
  }
  if (sendInitialEvents !== undefined && match !== newest)
    errors.push(field.forbidden(matchField, `sendInitialEvents requires setting resourceVersionMatch to ${newest}`));
  if (match === "") return errors;
  if (sendInitialEvents === undefined)
    errors.push(field.forbidden(matchField, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  if (match !== newest) errors.push(field.notSupported(matchField, match, [newest]));
  if (token !== "") errors.push(field.forbidden(matchField, "resourceVersionMatch is forbidden when continue is provided"));
  return errors;
}

/** @param refusal for a version that is no number: Kubernetes answers a bare 500, and gives a reason for lists only. */
export function parseResourceVersion(text: string, refusal: (message: string) => StatusError = unexplained): number {
  if (text === "") return 0;
  const refuse = (why: string) =>
    refusal(`resourceVersion: Invalid value: ${goQuote(text)}: strconv.ParseUint: parsing ${goQuote(text)}: ${why}`);
  if (!/^\d+$/.test(text)) throw refuse("invalid syntax");
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw refuse("value out of range");
  return value;
}

export function parseInteger(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: invalid syntax`);
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  const fits = text.length < 100 && BigInt.asIntN(64, BigInt(text.replace("+", ""))) === BigInt(text.replace("+", ""));
  if (!fits) throw badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: value out of range`);
  // What lies beyond is as far as any limit or time can be.
  return value < 0 ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
}

/** As Kubernetes converts query parameters: present without a value, or anything but false and 0, is true. */
export function parseBool(text: string | null): boolean {
  if (text === null) return false;
  return text.toLowerCase() !== "false" && text !== "0";
}
