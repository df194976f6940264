/** Calls its listeners in the order in which they subscribed; one that throws stops the call. */
export class Signal<Values extends unknown[] = []> {
  private readonly listeners: ((...values: Values) => void)[] = [];

  subscribe(listener: (...values: Values) => void): void {
    this.listeners.push(listener);
  }

  emit(...values: Values): void {
    for (const listener of this.listeners) listener(...values);
  }
}
