/** What Kubernetes 1.36 adds to the language. @see https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries */
import type { CelLibrary } from "../environment/library.ts";
import { optionals } from "../standard/optional.ts";
import { twoVariables } from "../standard/two-variables.ts";
import { authorizer } from "./authorizer.ts";
import { cidr } from "./cidr.ts";
import { extLists } from "./ext-lists.ts";
import { format } from "./format.ts";
import { ip } from "./ip.ts";
import { lists } from "./lists.ts";
import { quantity } from "./quantity.ts";
import { regex } from "./regex.ts";
import { semver } from "./semver.ts";
import { sets } from "./sets.ts";
import { strings } from "./strings.ts";
import { urls } from "./urls.ts";

/** Everywhere. Where there is no variable of the authorizer's type, its functions find nothing to be called on. */
export const kubernetesLibraries: readonly CelLibrary[] = [
  optionals,
  twoVariables,
  urls,
  regex,
  lists,
  authorizer,
  quantity,
  strings,
  sets,
  ip,
  cidr,
  format,
  semver,
  extLists,
];
