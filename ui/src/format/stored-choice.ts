import { useSyncExternalStore } from 'react';

/** A choice of the user that is kept per browser; without storage, for as long as the page. */
export class StoredChoice<Value extends string> {
  private readonly listeners = new Set<() => void>();
  private current: Value;

  /** @param parse the stored text, null if there is none */
  constructor(
    private readonly key: string,
    parse: (text: string | null) => Value,
  ) {
    this.current = parse(this.read());
  }

  readonly get = (): Value => this.current;

  set(value: Value): void {
    this.current = value;
    try {
      localStorage.setItem(this.key, value);
    } catch {
      // Storage is blocked.
    }
    for (const listener of this.listeners) listener();
  }

  readonly use = (): Value => useSyncExternalStore(this.subscribe, this.get);

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private read(): string | null {
    try {
      return localStorage.getItem(this.key);
    } catch {
      return null;
    }
  }
}

/** Parses one of some values. @param fallback what it is without a stored choice */
export const oneOf =
  <Value extends string>(fallback: Value, ...others: Value[]) =>
  (text: string | null): Value =>
    others.find((other) => other === text) ?? fallback;
