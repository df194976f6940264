import { FAULTS } from './faults';
import { READINGS, type Reading } from './readings';

/** Describes all readings and faults for `--help`. */
export function describeQuirks(): string {
  const readings = Object.entries<Reading>(READINGS).flatMap(([name, reading]) => [
    `  ${name}=${reading.initial}`,
    `      ${reading.about}`,
    ...('values' in reading
      ? Object.entries<string>(reading.values).map(([value, about]) => `      ${value}: ${about}`)
      : []),
  ]);
  const faults = Object.entries(FAULTS).flatMap(([name, about]) => [`  ${name}`, `      ${about}`]);
  return ['Readings with their defaults:', ...readings, '', 'Faults:', ...faults]
    .join('\n')
    .replaceAll('`', '');
}
