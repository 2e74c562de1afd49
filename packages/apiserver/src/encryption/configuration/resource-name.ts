/** A resource as configurations name it. Either part may be `*`. */
export interface GroupResourceName {
  readonly group: string;
  readonly resource: string;
}

/** `deployments.apps`: what follows the first dot is the group. */
export function parseGroupResource(name: string): GroupResourceName {
  const dot = name.indexOf(".");
  return dot < 0 ? { group: "", resource: name } : { group: name.slice(dot + 1), resource: name.slice(0, dot) };
}

/** As errors of configurations name it. */
export function formatGroupResource({ group, resource }: GroupResourceName): string {
  if (group === "") return resource === "*" ? "*." : resource;
  return `${resource}.${group}`;
}
