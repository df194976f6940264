import { faultChanges, readingChanges } from './quirk-changes';
import type { FaultStates } from './faults';
import { parseRequest } from '../parse-request';
import { READINGS, type Reading, type Readings } from './readings';

/**
 * Parses `name=value`, as on the command line.
 * @throws Problem that lists all invalid readings
 */
export function parseReadings(texts: readonly string[]): Partial<Readings> {
  const table: Record<string, Reading> = READINGS;
  const pairs = texts.map(splitPair).map(([name, value]) => {
    const reading = table[name];
    return [name, reading && 'least' in reading ? Number(value) : value] as const;
  });
  return parseRequest(readingChanges, Object.fromEntries(pairs));
}

/** Parses `name` (on until turned off) or `name=3` (the next three times), as on the command line. */
export function parseFaults(texts: readonly string[]): Partial<FaultStates> {
  const pairs = texts.map(splitPair).map(([name, times]) => [name, times === '' || Number(times)] as const);
  return parseRequest(faultChanges, Object.fromEntries(pairs));
}

function splitPair(text: string): [string, string] {
  const [name = '', ...value] = text.split('=');
  return [name, value.join('=')];
}
