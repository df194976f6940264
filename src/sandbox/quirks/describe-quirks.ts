import { type Quirk, QUIRKS } from './quirk-table';

const HEADING = `Quirks with their defaults. Those without a value are faults, which are off by default: --quirk name or
name=true turns one on, name=3 makes it occur three times:`;

/** Describes all quirks for `--help`. */
export function describeQuirks(): string {
  const lines = Object.entries<Quirk>(QUIRKS).flatMap(([name, quirk]) => [
    quirk.kind === 'fault' ? `  ${name}` : `  ${name}=${quirk.default}`,
    `      ${quirk.description}`,
    ...(quirk.kind === 'choice'
      ? Object.entries(quirk.values).map(([value, description]) => `      ${value}: ${description}`)
      : []),
  ]);
  return [HEADING, ...lines].join('\n').replaceAll('`', '');
}
