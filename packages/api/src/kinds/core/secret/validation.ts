/** What each type of Secret must hold. */
import { field } from "@coxswain/machinery";
import type { Secret } from "@coxswain/types/core-v1";
import type { Errors } from "../../../validation/checks.ts";
import { isTooLarge, maxDataBytes, validateKeys } from "../../../validation/key-value-data.ts";
import { jsonObjectProblem } from "./json-object.ts";

type Data = Readonly<Record<string, string>>;

export function validateSecretData(out: Errors, { data = {}, type, metadata }: Readonly<Secret>): void {
  validateKeys(out, "data", data);
  if (isTooLarge(undefined, data)) out.push(field.tooLong("data", maxDataBytes));
  switch (type) {
    case "kubernetes.io/service-account-token":
      if (!metadata?.annotations?.["kubernetes.io/service-account.name"]) {
        out.push(field.required("metadata.annotations[kubernetes.io/service-account.name]"));
      }
      break;
    case "kubernetes.io/dockercfg":
      validateJsonObject(out, data, ".dockercfg");
      break;
    case "kubernetes.io/dockerconfigjson":
      validateJsonObject(out, data, ".dockerconfigjson");
      break;
    case "kubernetes.io/basic-auth":
      if (!Object.hasOwn(data, "username") && !Object.hasOwn(data, "password")) {
        out.push(field.required("data[username]"), field.required("data[password]"));
      }
      break;
    case "kubernetes.io/ssh-auth":
      if (!data["ssh-privatekey"]) out.push(field.required("data[ssh-privatekey]"));
      break;
    case "kubernetes.io/tls":
      for (const key of ["tls.crt", "tls.key"]) if (!Object.hasOwn(data, key)) out.push(field.required(`data[${key}]`));
      break;
  }
}

function validateJsonObject(out: Errors, data: Data, key: string): void {
  const value = data[key];
  if (value === undefined) {
    out.push(field.required(`data[${key}]`));
    return;
  }
  const problem = jsonObjectProblem(decodeBase64(value));
  if (problem !== undefined) out.push(field.invalid(`data[${key}]`, "<secret contents redacted>", problem));
}

/** A pair without any PEM in it cannot work; what is inside a PEM block is left to those who use it. */
export function tlsWarning(data: Data): readonly string[] {
  for (const [key, what] of [
    ["tls.crt", "certificate"],
    ["tls.key", "key"],
  ] as const) {
    if (!decodeBase64(data[key] ?? "").includes("-----BEGIN ")) return [`tls: failed to find any PEM data in ${what} input`];
  }
  return [];
}

const chunkBytes = 8192;

/** The base64 of a text's UTF-8. */
export function encodeBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let i = 0; i < bytes.length; i += chunkBytes) binary += String.fromCharCode(...bytes.subarray(i, i + chunkBytes));
  return btoa(binary);
}

/** The text whose UTF-8 this is; empty for what is not base64, which decoding has refused already. */
function decodeBase64(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return "";
  }
}
