/** Where PEM texts are kept between starts. */
export interface PemStore {
  /** Undefined when there is none of that name. */
  read(name: string): string | undefined;
  write(name: string, pem: string): void;
  /** Where others may change them; undefined for what is kept in memory. */
  readonly directory?: string;
}
