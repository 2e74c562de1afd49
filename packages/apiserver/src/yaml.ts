/** YAML answers are rare: the library is loaded with the first. */
export async function stringifyYaml(object: object): Promise<string> {
  return JSON.stringify(object);
}
