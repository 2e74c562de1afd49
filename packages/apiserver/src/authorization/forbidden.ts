/** The 403, which names the user and what is forbidden. */
import { failure, forbidden, goQuote, StatusError } from "@coxswain/machinery";
import type { AuthorizationAttributes } from "../contracts/authorizer.ts";

/** Its answer also carries `X-Content-Type-Options: nosniff`: the message has what the client has sent. */
export class NotAuthorizedError extends StatusError {}

/** `reason` is the authorizer's; empty when it has none. */
export const notAuthorized = (attributes: AuthorizationAttributes, reason: string): NotAuthorizedError =>
  new NotAuthorizedError(refusal(attributes, reason).status);

function refusal(attributes: AuthorizationAttributes, reason: string): StatusError {
  const what = withoutHtml(sentence(attributes));
  const why = reason === "" ? what : `${what}: ${reason}`;
  if (attributes.kind === "path") return failure(403, "Forbidden", `forbidden: ${why}`, {});
  return forbidden(attributes, attributes.name, why);
}

function sentence(attributes: AuthorizationAttributes): string {
  const subject = `User ${goQuote(attributes.user.name)} cannot ${attributes.verb}`;
  if (attributes.kind === "path") return `${subject} path ${goQuote(attributes.path)}`;
  const { group, resource, subresource, namespace } = attributes;
  const target = goQuote(subresource === "" ? resource : `${resource}/${subresource}`);
  const place = namespace === "" ? "at the cluster scope" : `in the namespace ${goQuote(namespace)}`;
  return `${subject} resource ${target} in API group ${goQuote(group)} ${place}`;
}

/** A browser that takes the answer for a page must find no markup in what the client itself sent. */
export const withoutHtml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
