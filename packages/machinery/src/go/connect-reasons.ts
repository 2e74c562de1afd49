/** What Go's clients say of connections that do not come about, by Node's code. */
export const connectReasons: Readonly<Record<string, string>> = {
  __proto__: null as never,
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ECONNRESET: "connect: connection reset by peer",
  EADDRNOTAVAIL: "connect: cannot assign requested address",
  EACCES: "connect: permission denied",
  ETIMEDOUT: "connect: connection timed out",
  ENOENT: "connect: no such file or directory",
};
