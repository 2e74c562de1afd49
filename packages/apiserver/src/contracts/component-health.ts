/** What runs in the same process: whether it is healthy, by the component's name. */
export type ComponentHealth = ReadonlyMap<string, () => boolean | Promise<boolean>>;
