/** The configuration of a containerd that belongs to one node. */

export interface ContainerdPaths {
  /** What stays: images and what is known of containers. */
  readonly root: string;
  /** What ends with the machine. */
  readonly state: string;
  readonly socket: string;
  /** Where it finds CNI configurations. */
  readonly cniConfDir: string;
  /** Where the CNI plugins are. */
  readonly cniBinDir: string;
}

export interface ContainerdChoices {
  /** `native` where overlayfs cannot lie on the file system. */
  readonly snapshotter: "overlayfs" | "native";
  /** Undefined: containerd's own. */
  readonly sandboxImage: string | undefined;
}

/**
 * Registries are configured as those of the machine's own containerd. What some machines have no rights or programs for is left
 * alone: AppArmor, and processes that are killed later than others.
 */
export function containerdConfig(paths: ContainerdPaths, { snapshotter, sandboxImage }: ContainerdChoices): string {
  const { root, state, socket, cniConfDir, cniBinDir } = paths;
  return [
    "version = 2",
    `root = ${quoted(root)}`,
    `state = ${quoted(state)}`,
    "[grpc]",
    `  address = ${quoted(socket)}`,
    '[plugins."io.containerd.grpc.v1.cri"]',
    ...(sandboxImage === undefined ? [] : [`  sandbox_image = ${quoted(sandboxImage)}`]),
    "  restrict_oom_score_adj = true",
    "  disable_apparmor = true",
    "  netns_mounts_under_state_dir = true",
    '  [plugins."io.containerd.grpc.v1.cri".cni]',
    `    bin_dir = ${quoted(cniBinDir)}`,
    `    conf_dir = ${quoted(cniConfDir)}`,
    '  [plugins."io.containerd.grpc.v1.cri".containerd]',
    `    snapshotter = ${quoted(snapshotter)}`,
    '  [plugins."io.containerd.grpc.v1.cri".registry]',
    '    config_path = "/etc/containerd/certs.d"',
    "",
  ].join("\n");
}

/** Basic strings of TOML have JSON's escapes, and U+007F is not to stand in one. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007f");
