/** What the machine is on which a kubelet runs, and what it has. */

export interface Machine {
  readonly hostname: string;
  /** As Go names it: `linux`. */
  readonly operatingSystem: string;
  /** As Go names it: `amd64`. */
  readonly architecture: string;
  readonly kernelVersion: string;
  /** For people: `Debian GNU/Linux 12 (bookworm)`. */
  readonly osImage: string;
  readonly machineId: string;
  readonly systemUuid: string;
  /** Another after each boot. */
  readonly bootId: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly storageBytes: number;
  /** Not loopback while there is another; the first is the Node's InternalIP, unless `nodeIps` says more. */
  readonly addresses: readonly string[];
  /** The Node's InternalIPs, at most one of each family: the kubelet's `--node-ip`. */
  readonly nodeIps?: readonly string[];
}
