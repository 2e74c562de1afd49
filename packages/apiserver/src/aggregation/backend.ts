/** What an APIService says of the server that it gives a group and version to. */
import type { apiregistrationV1 } from "@coxswain/api";
import { httpsPort } from "../webhooks/client-config.ts";

export interface Backend {
  /** Of the APIService. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: ServiceAddress;
  /** PEM in base64. Empty: the machine's authorities count. */
  readonly caBundle: string;
  readonly insecureSkipTlsVerify: boolean;
  /** Higher ones come first in discovery. */
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** By the condition. */
  readonly isAvailable: boolean;
}

export interface ServiceAddress {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export type ApiService = Readonly<apiregistrationV1.APIService>;

/** Undefined for an APIService that no Service stands behind. */
export function backendOf({ metadata, spec, status }: ApiService): Backend | undefined {
  const { group = "", version = "", service, caBundle = "", insecureSkipTLSVerify = false } = spec ?? {};
  if (service === undefined || service === null) return undefined;
  return {
    name: metadata?.name ?? "",
    group,
    version,
    service: { namespace: service.namespace ?? "", name: service.name ?? "", port: service.port ?? httpsPort },
    caBundle,
    insecureSkipTlsVerify: insecureSkipTLSVerify,
    groupPriority: spec?.groupPriorityMinimum ?? 0,
    versionPriority: spec?.versionPriority ?? 0,
    isAvailable: status?.conditions?.some(({ type, status: state }) => type === "Available" && state === "True") ?? false,
  };
}

/** The name that the server's certificate must have. */
export const serverNameOf = ({ service }: Pick<Backend, "service">): string => `${service.name}.${service.namespace}.svc`;

/** Where the group and version begins. */
export const pathOf = ({ group, version }: Pick<Backend, "group" | "version">): string => `/apis/${group}/${version}`;
