/** The ports that Services may have on every Node, as kube-apiserver's `--service-node-port-range` names them. */

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export const defaultNodePorts: PortRange = { first: 30_000, last: 32_767 };

export const portRangeText = ({ first, last }: PortRange): string => `${first}-${last}`;

export const includesPort = ({ first, last }: PortRange, port: number): boolean => port >= first && port <= last;

/** `FIRST-LAST`, as it is stored; undefined for anything else. */
export function parsePortRange(text: string): PortRange | undefined {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [first, last] = [Number(match[1]), Number(match[2])];
  return first <= last && last <= 65_535 ? { first, last } : undefined;
}
