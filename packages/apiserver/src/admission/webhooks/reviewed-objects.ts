/** The objects of a request in the versions that webhooks want, and as JSON, made once for all that want the same. */
import { type KubeObject, stringifyJson } from "@coxswain/machinery";
import type { AdmissionRequest, AdmissionResource } from "../../contracts/admission.ts";
import type { ServedResources } from "../../contracts/served-resource.ts";
import { inVersion } from "../matching/in-version.ts";
import type { ReviewedObjects } from "./admission-review.ts";

type MaybeObject = Readonly<KubeObject> | undefined;

/** Both objects as one version of the resource has them. */
export interface VersionedObjects {
  readonly resource: AdmissionResource;
  readonly current: MaybeObject;
  readonly previous: MaybeObject;
}

export class ReviewedVersions {
  readonly #served: Pick<ServedResources, "of">;
  readonly #request: AdmissionRequest;
  /** By the definition of the version. */
  readonly #current = new Map<unknown, MaybeObject>();
  readonly #previous = new Map<unknown, MaybeObject>();
  readonly #json = new Map<MaybeObject, string>();

  constructor(served: Pick<ServedResources, "of">, request: AdmissionRequest) {
    this.#served = served;
    this.#request = request;
  }

  /** @throws the Status of a failed conversion */
  async objects(resource: AdmissionResource): Promise<VersionedObjects> {
    const { object, previous } = this.#request;
    return {
      resource,
      current: await this.#converted(this.#current, object, resource),
      previous: await this.#converted(this.#previous, previous, resource),
    };
  }

  reviewed({ resource, current, previous }: VersionedObjects): ReviewedObjects {
    return { resource, object: this.#jsonOf(current), previous: this.#jsonOf(previous) };
  }

  /** The object has changed. */
  forget(): void {
    for (const object of this.#current.values()) this.#json.delete(object);
    this.#current.clear();
  }

  async #converted(known: Map<unknown, MaybeObject>, object: MaybeObject, to: AdmissionResource): Promise<MaybeObject> {
    if (known.has(to.definition)) return known.get(to.definition);
    const { resource: from, subresource } = this.#request;
    const converted = await inVersion(this.#served, object, { from, to, subresource });
    known.set(to.definition, converted);
    return converted;
  }

  #jsonOf(object: MaybeObject): string {
    if (object === undefined) return "null";
    const known = this.#json.get(object) ?? stringifyJson(object);
    this.#json.set(object, known);
    return known;
  }
}
