/** One answer for all who ask the same within a moment, so that a thousand dashboards do not read the same a thousand times. */
export class SharedReads<T> {
  readonly #reads = new Map<string, Promise<T>>();

  constructor(
    private readonly read: (key: string) => Promise<T>,
    private readonly momentMs: number,
  ) {}

  get(key: string): Promise<T> {
    const known = this.#reads.get(key);
    if (known !== undefined) return known;
    const reading = this.read(key);
    this.#reads.set(key, reading);
    const forget = () => this.#reads.delete(key);
    reading.then(() => setTimeout(forget, this.momentMs).unref(), forget);
    return reading;
  }
}
