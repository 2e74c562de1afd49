/** Files of one volume that are written to the same path, or one of them into the other. */
import { goQuote, trimRight } from "@coxswain/machinery";
import type { Volume, VolumeProjection } from "@coxswain/types/core-v1";

interface Target {
  readonly path: string;
  /** What writes it; "" where the volume has but one source. */
  readonly source: string;
}

export function pathWarnings(volumes: readonly Volume[]): string[] {
  return volumes.flatMap(({ name, configMap, secret, downwardAPI, projected }) => {
    const warningsOf = (what: string, targets: readonly Target[]) =>
      overlaps(targets).map((text) => `volume ${goQuote(name)} (${what}): overlapping paths: ${text}`);
    return [
      ...(configMap?.items ? warningsOf(`ConfigMap ${goQuote(configMap.name ?? "")}`, targetsOf(configMap.items, "")) : []),
      ...(secret?.items ? warningsOf(`Secret ${goQuote(secret.secretName ?? "")}`, targetsOf(secret.items, "")) : []),
      ...(downwardAPI?.items ? warningsOf("DownwardAPI", targetsOf(downwardAPI.items, "")) : []),
      ...(projected?.sources ?? [])
        .filter((source) => Object.keys(source).length === 0)
        .map(() => `volume ${goQuote(name)} (Projected) has no sources provided`),
      ...(projected ? warningsOf("Projected", (projected.sources ?? []).flatMap(projectedTargets)) : []),
    ];
  });
}

const targetsOf = (items: readonly { readonly path: string }[], source: string): Target[] => items.map(({ path }) => ({ path, source }));

function projectedTargets(projection: Readonly<VolumeProjection>): Target[] {
  const { configMap, secret, downwardAPI, serviceAccountToken: token, clusterTrustBundle: bundle, podCertificate } = projection;
  if (configMap?.items) return targetsOf(configMap.items, `ConfigMap ${goQuote(configMap.name ?? "")}`);
  if (secret?.items) return targetsOf(secret.items, `Secret ${goQuote(secret.name ?? "")}`);
  if (downwardAPI?.items) return targetsOf(downwardAPI.items, "DownwardAPI");
  if (token) return targetsOf([token], "ServiceAccountToken");
  if (bundle) return targetsOf([bundle], `ClusterTrustBundle ${goQuote(bundle.name ?? bundle.signerName ?? "")}`);
  if (!podCertificate) return [];
  const paths = [
    [podCertificate.certificateChainPath, "chain"],
    [podCertificate.keyPath, "key"],
    [podCertificate.credentialBundlePath, "credential bundle"],
  ] as const;
  return paths.flatMap(([path, what]) => (path ? [{ path, source: `PodCertificate ${what}` }] : []));
}

function overlaps(targets: readonly Target[]): string[] {
  const found: string[] = [];
  const seen: Target[] = [];
  for (const target of targets) {
    const one = { ...target, path: trimRight(target.path ?? "", "/") };
    for (const other of seen) if (clash(one.path, other.path)) found.push(`${show(one)} with ${show(other)}`);
    seen.push(one);
  }
  return found;
}

const clash = (a: string, b: string): boolean => a !== "" && b !== "" && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`));

const show = ({ path, source }: Target): string => (source === "" ? goQuote(path) : `${goQuote(path)} (${source})`);
