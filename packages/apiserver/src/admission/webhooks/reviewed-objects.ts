/** The objects of a request in the versions that webhooks want, as JSON, made once for all that want the same. */
import { type KubeObject, stringifyJson } from "@coxswain/machinery";
import type { AdmissionRequest, AdmissionResource } from "../../contracts/admission.ts";
import type { ServedResources } from "../../contracts/served-resource.ts";
import { inVersion } from "../matching/in-version.ts";
import type { ReviewedObjects } from "./admission-review.ts";

/** What a webhook is sent, with the object that it stands for. */
export interface Reviewed extends ReviewedObjects {
  readonly current: Readonly<KubeObject> | undefined;
}

export class ReviewedVersions {
  readonly #served: Pick<ServedResources, "of">;
  readonly #request: AdmissionRequest;
  readonly #known = new Map<unknown, Reviewed>();
  readonly #previous = new Map<unknown, string>();

  constructor(served: Pick<ServedResources, "of">, request: AdmissionRequest) {
    this.#served = served;
    this.#request = request;
  }

  /** @throws the Status of a failed conversion */
  async of(resource: AdmissionResource): Promise<Reviewed> {
    const known = this.#known.get(resource.definition);
    if (known !== undefined) return known;
    const current = await this.#converted(this.#request.object, resource);
    const made = { resource, current, object: jsonOf(current), previous: await this.#previousOf(resource) };
    this.#known.set(resource.definition, made);
    return made;
  }

  /** The object has changed. */
  forget(): void {
    this.#known.clear();
  }

  async #previousOf(resource: AdmissionResource): Promise<string> {
    const known = this.#previous.get(resource.definition);
    if (known !== undefined) return known;
    const made = jsonOf(await this.#converted(this.#request.previous, resource));
    this.#previous.set(resource.definition, made);
    return made;
  }

  #converted<T extends Readonly<KubeObject> | undefined>(object: T, to: AdmissionResource): Promise<T> {
    const { resource: from, subresource } = this.#request;
    return inVersion(this.#served, object, { from, to, subresource });
  }
}

const jsonOf = (object: Readonly<KubeObject> | undefined): string => (object === undefined ? "null" : stringifyJson(object));
