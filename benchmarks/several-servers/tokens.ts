/** Who the processes of the run are: users with a token each, as kubelets and components of a cluster have certificates. */

export const admin = "admin";
/** Has no privileges until rights are granted. */
export const callerName = "caller";

export const tokenOf = (user: string): string => `token-of-${user}`;

/** For `--token-auth-file`: an administrator, components, and nodes called `node-1` and so on. */
export function tokenFile(nodes: number): string {
  const line = (user: string, groups: string): string => `${tokenOf(user)},${user},${user},"${groups}"\n`;
  const components = ["system:kube-controller-manager", "system:kube-scheduler", callerName].map((user) => line(user, ""));
  const kubelets = Array.from({ length: nodes }, (_, i) => line(`system:node:node-${i + 1}`, "system:nodes"));
  return [line(admin, "system:masters"), ...components, ...kubelets].join("");
}
