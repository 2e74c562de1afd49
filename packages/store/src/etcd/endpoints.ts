import type { GrpcAddress, GrpcTls } from "@coxswain/grpc";

/** Addresses of etcd's members, as `--etcd-servers` names them: `https://10.0.0.1:2379`. @throws TypeError */
export function endpointOf(url: string, tls: GrpcTls | (() => GrpcTls)): GrpcAddress {
  const { protocol, hostname, port, pathname } = parsed(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (protocol === "unix:") return { path: `${host}${decodeURIComponent(pathname)}` };
  if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`not the address of an etcd server: ${url}`);
  const at = { host, port: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port) };
  return protocol === "http:" ? at : { ...at, tls };
}

function parsed(url: string): URL {
  const found = URL.parse(url.includes("://") ? url : `http://${url}`);
  if (found === null) throw new TypeError(`not the address of an etcd server: ${url}`);
  return found;
}
