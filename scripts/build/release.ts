/** What a release must be before npm is asked to publish it. */

/** What is read of the package.json of a published folder. */
export interface StagedManifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly repository?: { readonly url: string };
}

interface ReleaseOptions {
  readonly changelog: string;
  /** Without a repository and before the changelog is closed, too. */
  readonly dryRun: boolean;
}

/** Sentences, none when it may be published. `manifests`: in the order of publishing. */
export function releaseProblems(manifests: readonly StagedManifest[], { changelog, dryRun }: ReleaseOptions): string[] {
  const versions = new Set(manifests.map(({ version }) => version));
  const [version = ""] = versions;
  return [
    ...(versions.size === 1 ? [] : [`the packages have several versions: ${[...versions].join(", ")}`]),
    ...manifests.flatMap((manifest, i) => dependencyProblems(manifest, new Set(manifests.slice(0, i).map(({ name }) => name)), version)),
    ...(dryRun || new RegExp(`^## \\[${RegExp.escape(version)}\\] - \\d{4}-\\d\\d-\\d\\d$`, "m").test(changelog)
      ? []
      : [`CHANGELOG.md has no section "## [${version}] - DATE"`]),
    ...(dryRun || manifests.every(({ repository }) => repository !== undefined)
      ? []
      : ["the packages do not name a repository: build them with --repository git+https://…, which npm compares with the provenance"]),
  ];
}

/** Whoever installs a package just after it is published finds what it depends on. */
const dependencyProblems = ({ name, dependencies = {} }: StagedManifest, earlier: ReadonlySet<string>, version: string): string[] =>
  Object.entries(dependencies)
    .filter(([dependency]) => dependency.startsWith("@coxswain/"))
    .flatMap(([dependency, wanted]) => [
      ...(earlier.has(dependency) ? [] : [`${name} is published before ${dependency}, on which it depends`]),
      ...(wanted === version ? [] : [`${name} depends on ${dependency} ${wanted}, not ${version}`]),
    ]);
