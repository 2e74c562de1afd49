/** By these servers know of each other: they belong to the servers, not to the state. */
export const serverLeases: readonly string[] = ["/registry/masterleases/", "/registry/peerserverleases/"];

export const isServerLease = (key: string): boolean => serverLeases.some((prefix) => key.startsWith(prefix));
