import type { StartFault } from '../relay/ground/relay-error';

/** A heading, then each fault with its remedy. */
export function formatFaults(heading: string, faults: readonly StartFault[]): string {
  const lines = faults.map(({ where, what, remedy }) => `  ${where}: ${what}\n    ${remedy}`);
  return `${heading}:\n${lines.join('\n')}`;
}
