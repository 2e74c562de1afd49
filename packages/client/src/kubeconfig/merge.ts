import { emptyKubeconfig, type Kubeconfig } from "./kubeconfig.ts";

/** As client-go merges the files of KUBECONFIG: whatever two files name, the first one says; entries are never mixed. */
export const mergeKubeconfigs = (files: readonly Kubeconfig[]): Kubeconfig =>
  files.reduceRight(
    (later, first) => ({
      clusters: new Map([...later.clusters, ...first.clusters]),
      users: new Map([...later.users, ...first.users]),
      contexts: new Map([...later.contexts, ...first.contexts]),
      currentContext: first.currentContext || later.currentContext,
    }),
    emptyKubeconfig,
  );
