/** The package of Kubernetes' internal types of a group, as its messages name it. */
export const packageOf = (group: string): string => (group === "" || group === "events.k8s.io" ? "core" : (group.split(".")[0] ?? group));
