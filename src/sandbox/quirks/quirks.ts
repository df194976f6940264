import { type Quirk, type QuirkName, QUIRKS } from './quirk-table';

/** `true`: until turned off; a number: that many times; `false`: off. */
type FaultState = boolean | number;

type ValueOf<Q extends Quirk> = Q extends { values: Record<infer Value, string> }
  ? Value
  : Q extends { kind: 'amount' }
    ? number
    : Q extends { kind: 'fault' }
      ? FaultState
      : string;

export type QuirkValues = { -readonly [Name in QuirkName]: ValueOf<(typeof QUIRKS)[Name]> };

export type FaultName = {
  [Name in QuirkName]: (typeof QUIRKS)[Name] extends { kind: 'fault' } ? Name : never;
}[QuirkName];

export type FaultStates = Pick<QuirkValues, FaultName>;

export const FAULT_NAMES = Object.entries<Quirk>(QUIRKS)
  .filter(([, { kind }]) => kind === 'fault')
  .map(([name]) => name as FaultName);

/** The current values of the quirks. They may change at any time, so callers must not cache them. */
export class Quirks {
  private currentValues: QuirkValues;

  constructor(changes: Partial<QuirkValues> = {}) {
    const defaults = Object.entries<Quirk>(QUIRKS).map(([name, quirk]) => [
      name,
      quirk.kind === 'fault' ? false : quirk.default,
    ]);
    this.currentValues = { ...(Object.fromEntries(defaults) as QuirkValues), ...changes };
  }

  get current(): Readonly<QuirkValues> {
    return this.currentValues;
  }

  get faults(): FaultStates {
    return Object.fromEntries(FAULT_NAMES.map((name) => [name, this.currentValues[name]])) as FaultStates;
  }

  change(changes: Partial<QuirkValues>): void {
    this.currentValues = { ...this.currentValues, ...changes };
  }

  /** Whether the fault occurs now; counts down a fault that is on for a number of times. */
  takeFault(name: FaultName): boolean {
    const state: FaultState = this.currentValues[name];
    if (typeof state === 'number') this.change({ [name]: state > 1 && state - 1 });
    return state !== false;
  }

  /** The first of these faults that occurs now, if any. */
  takeFirstFault<Name extends FaultName>(names: readonly Name[]): Name | undefined {
    return names.find((name) => this.takeFault(name));
  }
}
