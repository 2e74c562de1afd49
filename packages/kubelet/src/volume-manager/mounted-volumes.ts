/** Volumes of a Pod by name, each in a directory (or at a path) of the node; images have none. */
export type MountedVolumes = ReadonlyMap<string, { readonly path: string; readonly readOnly: boolean; readonly selinuxRelabel: boolean }>;
