/** Name that a test's Pods have in the machine's control groups, so that what is left there can be distinguished from others'. */
export function cgroupRootOf({ folder }: { readonly folder: string }): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}
