/** What `/version` answers: the Kubernetes that clients may take the server for. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/**
 * What `/version` answers for a server of this build.
 * @param own the version of coxswain, which stands behind the plus sign
 * @param platform as Kubernetes names it: `linux/amd64`
 */
export const versionInfo = (own: string, platform: string): VersionInfo => ({
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: `v1.36.3+coxswain-${own}`,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "v8",
  platform,
});
