/** Which Secrets and ConfigMaps a Pod names. */
import type { Container, PodSpec, Volume } from "@coxswain/types/core-v1";

type Spec = Readonly<PodSpec>;
type WithEnvironment = Pick<Container, "env" | "envFrom">;

const containersOf = (spec: Spec): readonly WithEnvironment[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
];

const present = (names: readonly (string | undefined)[]): readonly string[] => names.flatMap((name) => (name ? [name] : []));

/** Of the whole Pod, with those that pull its images. */
export const secretNames = (spec: Spec): readonly string[] =>
  present([
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...containersOf(spec).flatMap(({ env = [] }) => env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name)),
    ...containersOf(spec).flatMap(({ envFrom = [] }) => envFrom.map(({ secretRef }) => secretRef?.name)),
    ...(spec.volumes ?? []).flatMap(secretsOfVolume),
  ]);

/** Of the whole Pod. */
export const configMapNames = (spec: Spec): readonly string[] =>
  present([
    ...containersOf(spec).flatMap(({ env = [] }) => env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name)),
    ...containersOf(spec).flatMap(({ envFrom = [] }) => envFrom.map(({ configMapRef }) => configMapRef?.name)),
    ...(spec.volumes ?? []).flatMap(({ configMap, projected }) => [
      configMap?.name,
      ...(projected?.sources ?? []).map((source) => source.configMap?.name),
    ]),
  ]);

const secretsOfVolume = (volume: Volume): readonly (string | undefined)[] => [
  volume.azureFile?.secretName,
  volume.cephfs?.secretRef?.name,
  volume.cinder?.secretRef?.name,
  volume.flexVolume?.secretRef?.name,
  ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
  volume.rbd?.secretRef?.name,
  volume.secret?.secretName,
  volume.scaleIO?.secretRef?.name,
  volume.iscsi?.secretRef?.name,
  volume.storageos?.secretRef?.name,
  volume.csi?.nodePublishSecretRef?.name,
];
