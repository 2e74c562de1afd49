/**
 * Which container runtimes mount images as volumes. No answer of theirs says so: older ones take a mount without a path of the node
 * for a mistake, and some mount the whole image where a part of it is asked for.
 * @see https://kep.k8s.io/4639
 */
import type { ImageVolumeProblems } from "../runtime/pod-runtime.ts";

interface Since {
  readonly images: Release;
  readonly subPaths: Release;
}
type Release = readonly [major: number, minor: number];

const since: ReadonlyMap<string, Since> = new Map([
  ["containerd", { images: [2, 1], subPaths: [2, 2] }],
  ["cri-o", { images: [1, 31], subPaths: [1, 33] }],
]);

/** Of the name and the version that the runtime says. What others can do is up to them to say, container by container. */
export function imageVolumeProblems({ name, version }: { readonly name: string; readonly version: string }): ImageVolumeProblems {
  const known = since.get(name);
  const release = releaseOf(version);
  if (known === undefined || release === undefined) return {};
  const problem = (what: string, needed: Release): string | undefined =>
    isBefore(release, needed) ? `${what} need ${name} ${needed.join(".")} or newer, and this node has ${name} ${version}` : undefined;
  const images = problem("image volumes", known.images);
  const subPaths = problem("sub paths of image volumes", known.subPaths);
  return { ...(images === undefined ? {} : { images }), ...(subPaths === undefined ? {} : { subPaths }) };
}

/** `v2.2.0-rc.1`, `1.6.20~ds1`: builds of a release that is to come have what it has. */
function releaseOf(version: string): Release | undefined {
  const [, major, minor] = /^v?(\d+)\.(\d+)\./.exec(version) ?? [];
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)];
}

const isBefore = ([major, minor]: Release, [neededMajor, neededMinor]: Release): boolean =>
  major < neededMajor || (major === neededMajor && minor < neededMinor);
