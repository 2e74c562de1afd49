/**
 * Environment variables with the addresses of Services.
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
import type { coreV1 } from "@coxswain/api";
import { parseIp } from "@coxswain/machinery";

type Service = coreV1.Service;

/** Where Pods reach the API server, instead of the address of the `kubernetes` Service. */
export interface MasterService {
  readonly host: string;
  readonly port: number;
}

/**
 * Those of the `kubernetes` Service always, those of the Pod's namespace where it wants links.
 * `visible` are the Services of that namespace and those of `default`.
 */
export function serviceVariables(
  visible: readonly Service[],
  { namespace, links, master }: { readonly namespace: string; readonly links: boolean; readonly master?: MasterService | undefined },
): Map<string, string> {
  const chosen = new Map<string, Service>();
  for (const service of visible) {
    const { name = "", namespace: where } = service.metadata ?? {};
    const isMaster = where === "default" && name === "kubernetes";
    if (isMaster) chosen.set(name, chosen.get(name) ?? (master === undefined ? service : relocated(service, master)));
    else if (where === namespace && links && hasAddress(service)) chosen.set(name, service);
  }
  const variables = new Map<string, string>();
  for (const name of [...chosen.keys()].sort()) addVariables(variables, name, chosen.get(name));
  return variables;
}

const hasAddress = ({ spec }: Service): boolean => spec?.clusterIP !== undefined && spec.clusterIP !== "" && spec.clusterIP !== "None";

function relocated(service: Service, { host, port }: MasterService): Service {
  const [first] = service.spec?.ports ?? [];
  return { ...service, spec: { ...service.spec, clusterIP: host, ports: [{ ...first, port }] } };
}

function addVariables(variables: Map<string, string>, name: string, service: Service | undefined): void {
  const { clusterIP: address = "", ports = [] } = service?.spec ?? {};
  const [first] = ports;
  if (first === undefined || service === undefined || !hasAddress(service)) return;
  const prefix = variableName(name);
  variables.set(`${prefix}_SERVICE_HOST`, address);
  variables.set(`${prefix}_SERVICE_PORT`, String(first.port));
  for (const port of ports) {
    if (port.name !== undefined && port.name !== "") variables.set(`${prefix}_SERVICE_PORT_${variableName(port.name)}`, String(port.port));
  }
  ports.forEach(({ port, protocol: given = "TCP" }, index) => {
    const protocol = given.toLowerCase();
    const url = `${protocol}://${parseIp(address)?.family === 6 ? `[${address}]` : address}:${port}`;
    const link = `${prefix}_PORT_${port}_${given.toUpperCase()}`;
    if (index === 0) variables.set(`${prefix}_PORT`, url);
    variables.set(link, url);
    variables.set(`${link}_PROTO`, protocol);
    variables.set(`${link}_PORT`, String(port));
    variables.set(`${link}_ADDR`, address);
  });
}

const variableName = (name: string): string => name.replaceAll("-", "_").toUpperCase();
