/** What an image name means: from where, which tag, and so how eagerly it is pulled. */

const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const domainPart = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const tag = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const reference = new RegExp(`^((?:${domain}/)?${component}(?:/${component})*)(?::(${tag}))?(?:@(${digest}))?$`);
/** Sixty-four hexadecimal digits are an image's identity, no name. */
const identity = /^[a-f0-9]{64}$/;

/** The parts of an image's name. */
export interface ImageName {
  /** Whole: `docker.io/library/busybox`. */
  readonly repository: string;
  /** As given, or `latest` where there is no digest either. */
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Undefined for what is no image name. */
export function parseImageName(image: string): ImageName | undefined {
  const match = reference.exec(image);
  if (match === null || identity.test(image)) return undefined;
  const [, name = "", named, pinned] = match;
  return { repository: wholeName(name), tag: named ?? (pinned === undefined ? "latest" : undefined), digest: pinned };
}

/** `latest` when neither tag nor digest is given; undefined for a digest alone and for what is no image name. */
export const imageTag = (image: string): string | undefined => parseImageName(image)?.tag;

export const defaultPullPolicy = (image: string): string => (imageTag(image) === "latest" ? "Always" : "IfNotPresent");

/** What does not begin with a host is in the default registry. */
function wholeName(name: string): string {
  const [first = "", ...rest] = name.split("/");
  const hasHost = rest.length > 0 && (/[.:A-Z]/.test(first) || first === "localhost");
  const host = hasHost ? first : "docker.io";
  const path = hasHost ? rest.join("/") : name;
  if (host !== "docker.io" && host !== "index.docker.io") return `${host}/${path}`;
  return `docker.io/${path.includes("/") ? path : `library/${path}`}`;
}
