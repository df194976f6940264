import { z, type ZodType } from 'zod';
import { strictChanges } from '../readings/reading-changes';
import { FAULTS, type FaultStates } from './faults';

const MESSAGE = 'Send true, false, or for how many times it is to happen, from 1 to 1000000.';

const state = z.union([z.boolean(), z.int().min(1).max(1_000_000)], MESSAGE);

/** Faults to be turned on or off, as a request sends them; faults there are not are refused by name. */
export const faultChanges: ZodType<Partial<FaultStates>> = strictChanges(
  Object.fromEntries(Object.keys(FAULTS).map((name) => [name, state.optional()])),
);
