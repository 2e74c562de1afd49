/** The ports that Services may have on every Node, as kube-apiserver's `--service-node-port-range` names them. */

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export const defaultNodePorts: PortRange = { first: 30_000, last: 32_767 };

export const portRangeText = ({ first, last }: PortRange): string => `${first}-${last}`;

export const includesPort = ({ first, last }: PortRange, port: number): boolean => port >= first && port <= last;

/** `FIRST-LAST`, `FIRST+MORE` or `PORT`. Messages are kube-apiserver's. @throws RangeError */
export function parsePortRange(text: string): PortRange {
  const [, low = "", sign, more = ""] = /^(\d{1,9})(?:([-+])(\d{1,9}))?$/.exec(text.trim()) ?? [];
  if (low === "") throw new RangeError(`unable to parse port range: ${text}`);
  const first = Number(low);
  const last = sign === undefined ? first : sign === "-" ? Number(more) : first + Number(more);
  if (first > maxPort || last > maxPort) throw new RangeError(`the port range cannot be greater than ${maxPort}: ${text}`);
  if (last < first) throw new RangeError(`end port cannot be less than start port: ${text}`);
  return { first, last };
}

const maxPort = 65_535;
