import { type FieldError, field, formatGoDuration, parseGoDuration } from "@coxswain/machinery";
import type { KmsConfiguration } from "./document.ts";

interface KmsSurroundings {
  readonly path: string;
  /** Of the services before it. */
  readonly names: ReadonlySet<string>;
  readonly reload: boolean;
}

/** As Kubernetes', where nothing is said. */
export const defaultKmsTimeoutMs = 3_000;

/** What is wrong with a key management service. */
export function* validateKms(kms: KmsConfiguration, { path, names, reload }: KmsSurroundings): Generator<FieldError> {
  const { apiVersion = "", name = "" } = kms;
  const version = apiVersion === "" ? "v1" : apiVersion;
  if (name === "") yield field.required(`${path}.name`, "name is a mandatory field for a provider");
  if (version !== "v1" && name.includes(":"))
    yield field.invalid(`${path}.name`, name, `invalid KMS provider name ${name}, must not contain ':'`);
  if ((reload || version !== "v1") && names.has(name))
    yield field.invalid(`${path}.name`, name, `duplicate KMS provider name ${name}, names must be unique`);
  const timeout = kmsTimeoutMs(kms);
  if (timeout <= 0) yield field.invalid(`${path}.timeout`, formatGoDuration(timeout), "timeout should be a positive value");
  yield* endpointProblems(kms.endpoint ?? "", `${path}.endpoint`);
  const { cachesize } = kms;
  if (version !== "v1" && cachesize != null) yield field.invalid(`${path}.cachesize`, cachesize, "cachesize is not supported in v2");
  if (version === "v1" && cachesize === 0)
    yield field.invalid(`${path}.cachesize`, 0, "cachesize should be a positive value, or negative to disable");
  if (version !== "v1" && version !== "v2") {
    const detail = "unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported";
    yield field.invalid(`${path}.apiVersion`, version, detail);
  }
}

/** How long a call of the service may take. @throws Error for a text that is no duration */
export function kmsTimeoutMs({ timeout }: KmsConfiguration): number {
  if (timeout == null) return defaultKmsTimeoutMs;
  const duration = parseGoDuration(timeout);
  if (typeof duration === "string") throw new Error(duration);
  return duration;
}

function* endpointProblems(endpoint: string, path: string): Generator<FieldError> {
  if (endpoint === "") {
    yield field.invalid(path, "", "endpoint is a mandatory field for a kms");
    return;
  }
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(endpoint)?.[1]?.toLowerCase() ?? "";
  if (scheme !== "unix") yield field.invalid(path, endpoint, `unsupported scheme "${scheme}" for KMS provider, only unix is supported`);
}
