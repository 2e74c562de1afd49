/** The commands below `coxswain`, in the order of its help; what each does is in `commands/`. */
export const subcommands = [
  { name: "status", summary: "show the servers that run" },
  { name: "stop", summary: "end a server in order" },
  { name: "kubectl", summary: "run kubectl against a server that runs" },
  { name: "healthz", summary: "ask a server how it is, as probes of containers do" },
  { name: "kubeconfig", summary: "print the kubeconfig of the administrator, or of another user" },
  { name: "certs", summary: "show when the certificates of a server end, or renew them" },
  { name: "token", summary: "make, show or delete the tokens with which nodes join" },
  { name: "copy", summary: "copy a whole state between a data directory and an etcd" },
  { name: "snapshot", summary: "save a whole state as a file, or bring it back" },
  { name: "history", summary: "show every version of an object: who wrote it, when, and what changed" },
  { name: "blame", summary: "show for each field of an object who wrote it last" },
  { name: "diff", summary: "show what differs in an object between two moments" },
  { name: "at", summary: "run kubectl, or any other command, against the state of another moment" },
  { name: "undo", summary: "bring an object back to what it was" },
  { name: "invariants", summary: "show which invariants do not hold, and the writes that led to it" },
  { name: "record", summary: "write what happens, or what has happened, into a file" },
  { name: "replay", summary: "show a recording in a browser, or run a controller against it" },
  { name: "completion", summary: "print what lets a shell complete commands and options" },
  { name: "controllers", summary: "run the controllers alone, for any cluster" },
  { name: "scheduler", summary: "run the scheduler alone, for any cluster" },
  { name: "dns", summary: "answer the names of Services, for any cluster" },
  { name: "kubelet", summary: "run a node, or many simulated ones, for any cluster" },
  { name: "proxy", summary: "carry packets of Services on this machine, for any cluster" },
  { name: "pod-network", summary: "give Pods of this machine addresses, and ways to those of other nodes, for any cluster" },
  { name: "network-policy", summary: "enforce NetworkPolicies on the Pods of this machine, for any cluster" },
  { name: "envtest-assets", summary: "write what controller-runtime's envtest starts" },
] as const;

/** The name of one of the commands below `coxswain`. */
export type SubcommandName = (typeof subcommands)[number]["name"];

/** Other ways to ask for help and for the version, as other programs have them, in the words that the options know. */
export function withoutAliases(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  switch (first) {
    case "-v":
    case "version":
      return ["--version", ...rest];
    case "help":
      return [...rest.slice(0, 1), "--help"];
    default:
      return args;
  }
}
