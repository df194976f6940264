import type { StartFault } from '../relay/ground/relay-error';

/** What was refused, and every fault with its remedy. */
export function formatFaults(refused: string, faults: readonly StartFault[]): string {
  const lines = faults.map(({ where, what, remedy }) => `  ${where}: ${what}\n    ${remedy}`);
  return `${refused}:\n${lines.join('\n')}`;
}
