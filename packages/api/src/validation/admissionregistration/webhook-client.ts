/** Where a webhook is called, for admission and for conversion. */
import { field, parseUrl, validateDns1123Subdomain, validatePortNumber } from "@coxswain/machinery";
import type { ServiceReference } from "@coxswain/types/admissionregistration-v1";
import type { Errors } from "../checks.ts";

export function validateUrl(out: Errors, path: string, text: string): void {
  const form = "; desired format: https://host[/path]";
  const url = parseUrl(text);
  if (typeof url === "string") {
    out.push(field.required(path, `url must be a valid URL: ${url}${form}`));
    return;
  }
  const { scheme, host, user, escapedFragment, rawQuery = "" } = url;
  if (scheme !== "https") out.push(field.invalid(path, scheme, `'https' is the only allowed URL scheme${form}`));
  if (host === "") out.push(field.invalid(path, host, `host must be specified${form}`));
  if (user !== undefined) out.push(field.invalid(path, user, "user information is not permitted in the URL"));
  if (escapedFragment !== "") out.push(field.invalid(path, decodeURIComponent(escapedFragment), "fragments are not permitted in the URL"));
  if (rawQuery !== "") out.push(field.invalid(path, rawQuery, "query parameters are not permitted in the URL"));
}

export function validateService(
  out: Errors,
  path: string,
  { name, namespace, path: urlPath = "", port = 443 }: Readonly<ServiceReference>,
): void {
  // Kubernetes names the one when the other is missing; clients have seen it so for years.
  if (!namespace) out.push(field.required(`${path}.name`));
  if (!name) out.push(field.required(`${path}.namespace`));
  const problems = validatePortNumber(port);
  if (problems.length > 0) out.push(field.invalid(`${path}.port`, port, `port is not valid: ${problems.join(", ")}`));
  if (urlPath !== "" && urlPath !== "/") validatePath(out, `${path}.path`, urlPath);
}

function validatePath(out: Errors, path: string, urlPath: string): void {
  if (urlPath === "//") {
    out.push(field.invalid(path, urlPath, "segment[0] may not be empty"));
    return;
  }
  if (!urlPath.startsWith("/")) out.push(field.invalid(path, urlPath, "must start with a '/'"));
  const steps = urlPath.slice(1).replace(/\/$/, "").split("/");
  for (const [i, step] of steps.entries()) {
    if (step === "") out.push(field.invalid(path, urlPath, `segment[${i}] may not be empty`));
    else for (const problem of validateDns1123Subdomain(step)) out.push(field.invalid(path, urlPath, `segment[${i}]: ${problem}`));
  }
}
