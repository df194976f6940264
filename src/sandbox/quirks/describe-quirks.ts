import { FAULTS } from './faults';
import { READINGS, type Reading } from './readings';

/** All readings and faults with their sentences, as text for a terminal. */
export function describeQuirks(): string {
  const readings = Object.entries<Reading>(READINGS).flatMap(([name, reading]) => [
    `  ${name}=${reading.initial}`,
    `      ${reading.about}`,
    ...('values' in reading
      ? Object.entries<string>(reading.values).map(([value, about]) => `      ${value}: ${about}`)
      : []),
  ]);
  const faults = Object.entries(FAULTS).flatMap(([name, about]) => [`  ${name}`, `      ${about}`]);
  return ['Readings, with what they are unless set:', ...readings, '', 'Faults:', ...faults]
    .join('\n')
    .replaceAll('`', '');
}
