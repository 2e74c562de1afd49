/** Names of chains and sets that belong to Services. They have a slash, which no other name of the table has. */
import { createHash } from "node:crypto";
import type { Endpoint } from "../services/endpoint.ts";
import type { ServicePort } from "../services/service-port.ts";

/** nftables takes 255; longer ones are cut, and a hash keeps them apart. */
const maxLength = 240;

type ChainRole = "service" | "local" | "external" | "firewall";

/** Of the chain that plays this role for a port. */
export const chainName = (role: ChainRole, port: ServicePort): string => bounded(`${role}/${pathOf(port)}`);

/** Of the chain of one endpoint, or of the set of clients that stay with it. */
export const endpointName = (role: "endpoint" | "affinity", port: ServicePort, endpoint: Endpoint): string =>
  // A name may have no colons, which IPv6 addresses do.
  bounded(`${role}/${pathOf(port)}/${endpoint.ip.replaceAll(":", ".")}/${endpoint.port}`);

const pathOf = ({ namespace, service, protocol, portName }: ServicePort): string => `${namespace}/${service}/${protocol}/${portName}`;

function bounded(name: string): string {
  if (name.length <= maxLength) return name;
  return `${name.slice(0, maxLength - 17)}/${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}
