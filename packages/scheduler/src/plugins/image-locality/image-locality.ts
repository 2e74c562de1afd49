/** Prefers nodes that have the Pod's images, the more so the larger they are and the more nodes have them. */

import { stateKey } from "../../framework/cycle-state.ts";
import type { NodeInfo, Snapshot } from "../../framework/node-info.ts";
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import type { Pod } from "../../framework/pod-info.ts";
import { maxScore } from "../normalize.ts";

interface Wanted {
  readonly images: readonly WantedImage[];
  /** As if each container had one image. */
  readonly containers: number;
}

interface WantedImage {
  readonly name: string;
  /** How many of all nodes have it: 0 to 1. */
  readonly spread: number;
}

const wantedImages = stateKey<Wanted>("ImageLocality");

export const imageLocality: PluginFactory = (_, { snapshot }) => ({
  name: "ImageLocality",
  preScore: (state, { pod }) => {
    const images = imagesOf(pod, snapshot());
    if (images.length === 0) return skip;
    state.set(wantedImages, { images, containers: (pod.spec?.initContainers ?? []).length + (pod.spec?.containers ?? []).length });
    return undefined;
  },
  score: (state, _pod, node) => scoreOf(node, state.get(wantedImages)),
});

/** Bytes: as good as nothing, and as good as it gets for each container. */
const minThreshold = 23 * 2 ** 20;
const maxContainerThreshold = 1000 * 2 ** 20;

function scoreOf({ images }: NodeInfo, wanted: Wanted | undefined): number {
  if (images.size === 0 || wanted === undefined) return 0;
  let sum = 0;
  for (const { name, spread } of wanted.images) sum += Math.trunc((images.get(name) ?? 0) * spread);
  const limit = maxContainerThreshold * wanted.containers;
  const within = Math.min(Math.max(sum, minThreshold), limit);
  return Math.trunc((maxScore * (within - minThreshold)) / (limit - minThreshold));
}

/** Those that any node has; one that several containers use counts as often. */
function imagesOf({ spec }: Pod, { imageNodes, nodes }: Snapshot): readonly WantedImage[] {
  if (imageNodes.size === 0) return [];
  const references = [
    ...(spec?.initContainers ?? []).map(({ image }) => image),
    ...(spec?.containers ?? []).map(({ image }) => image),
    ...(spec?.volumes ?? []).map(({ image }) => image?.reference),
  ];
  return references.flatMap((reference) => {
    if (reference === undefined) return [];
    const name = withTag(reference);
    const count = imageNodes.get(name);
    return count === undefined ? [] : [{ name, spread: count / nodes.length }];
  });
}

/** Nodes report names with a tag or a digest. */
const withTag = (name: string): string => (name.lastIndexOf(":") <= name.lastIndexOf("/") ? `${name}:latest` : name);
