import type { ConfigurationError } from '../relay/ground/relay-error';

/** A heading, then each error with its remedy. */
export function formatErrors(heading: string, errors: readonly ConfigurationError[]): string {
  const lines = errors.map(({ where, what, remedy }) => `  ${where}: ${what}\n    ${remedy}`);
  return `${heading}:\n${lines.join('\n')}`;
}
