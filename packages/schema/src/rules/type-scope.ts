/** The types of objects as the checker of expressions knows them: by names that contain their path. */
import type { SizeProvider, TypeProvider } from "@coxswain/cel";
import { type CelType, listOf, mapOf, objectType, stringType } from "@coxswain/cel";
import type { DeclaredType } from "./declared-type.ts";
import { isReserved } from "./escape.ts";

/** Names come into being as fields are asked for. Kubernetes numbers them too, so that no rule relies on them. */
export class TypeScope implements TypeProvider {
  readonly #objects = new Map<string, DeclaredType>();

  /** The type of `self`. */
  root(declared: DeclaredType): CelType {
    return this.#typeOf(declared, `selfType${this.#objects.size}`);
  }

  hasType(name: string): boolean {
    return this.#objects.has(name);
  }

  fieldType(typeName: string, field: string): CelType | undefined {
    const fields = this.#objects.get(typeName)?.fields;
    const declared = fields?.get(field) ?? (isReserved(field) ? fields?.get(`__${field}__`) : undefined);
    return declared && this.#typeOf(declared, `${typeName}.${field}`);
  }

  #typeOf(declared: DeclaredType, name: string): CelType {
    const { shape, element } = declared;
    if (shape.kind === "scalar") return shape.type;
    if (shape.kind === "list" && element !== undefined) return listOf(this.#typeOf(element, `${name}.@idx`));
    if (shape.kind === "map" && element !== undefined) return mapOf(stringType, this.#typeOf(element, `${name}.@elem`));
    this.#objects.set(name, declared);
    return objectType(name);
  }
}

/** How large what an expression reads can be; paths begin with `self` or `oldSelf`. */
export const sizesWithin =
  (root: DeclaredType): SizeProvider =>
  (path) => {
    let at: DeclaredType | undefined = root;
    for (const step of path.slice(1)) {
      // The size of keys is unknown, but Kubernetes takes it for nothing.
      if (step === "@keys") return at?.shape.kind === "map" ? { min: 0, max: 0 } : undefined;
      at = step === "@items" || step === "@values" ? at?.element : at?.fields.get(step);
      if (at === undefined) return undefined;
    }
    return { min: 0, max: at.maxElements };
  };
