/** What keys of a store begin with, and where `--etcd-prefix` names none, those in etcd. */
export const defaultKeyRoot = "/registry";

/** What keys in etcd begin with, by `--etcd-prefix`: one slash before it, and none behind. */
export const keyRootOf = (prefix: string): string =>
  `/${prefix
    .split("/")
    .filter((part) => part !== "")
    .join("/")}`;
