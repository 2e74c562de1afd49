/**
 * Which user of a kubeconfig a webhook is for.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#authenticate-apiservers
 */
import type { WebhookCredentials, WebhookUsers } from "../contracts/webhook-credentials.ts";
import { httpsPort, type WebhookClientConfig } from "./client-config.ts";

/** Undefined: it is shown nothing. */
export function credentialsFor({ byName, current }: WebhookUsers, client: WebhookClientConfig): WebhookCredentials | undefined {
  const hostPort = hostPortOf(client);
  for (const name of namesFor(hostPort)) if (Object.hasOwn(byName, name)) return byName[name];
  return current;
}

/** From the most special to the most general. */
function namesFor(hostPort: string): readonly string[] {
  const implied = `:${httpsPort}`;
  const whole = withSuffixes(hostPort);
  const short = hostPort.endsWith(implied) ? withSuffixes(hostPort.slice(0, -implied.length).replace(/^\[(.*)\]$/, "$1")) : [];
  return [...whole, ...short, "*"];
}

function withSuffixes(host: string): readonly string[] {
  const parts = host.split(".");
  return [host, ...parts.slice(1).map((_part, i) => `*.${parts.slice(i + 1).join(".")}`)];
}

function hostPortOf({ service, url }: WebhookClientConfig): string {
  if (service !== undefined && service !== null) return `${service.name}.${service.namespace}.svc:${service.port || httpsPort}`;
  const parsed = URL.parse(url ?? "");
  return parsed === null ? "" : `${parsed.hostname}:${parsed.port || httpsPort}`;
}
