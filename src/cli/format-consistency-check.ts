import type { Ledger } from '../contract/ledger';
import { oneLine } from './printable';

const GENERAL_ADVICE =
  'This never happens in normal operation. The cause is the disk, another program, or a bug in Switchboard. Copy DATA_DIR before you change anything.';

/** The findings of a consistency check as text, grouped by rule, with one remedy per rule. */
export function formatConsistencyCheck({ balanced, checked, found, findings }: Ledger): string {
  const { events, deliveries, attempts, lanes } = checked;
  const summary = `${events} events, ${deliveries} deliveries, ${attempts} attempts and ${lanes} lanes checked`;
  if (balanced) return `The data is consistent: ${summary}.`;
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  const parts = rules.map((rule) => {
    const ofRule = findings.filter((finding) => finding.rule === rule);
    return [
      rule,
      ...ofRule.map(({ sentence }) => `  ${oneLine(sentence)}`),
      `  What to do: ${ofRule[0]!.remedy}`,
    ].join('\n');
  });
  const omitted = found - findings.length;
  if (omitted > 0) parts.push(`${omitted} more of the same kinds are not listed.`);
  const heading = `The data is inconsistent: ${found} ${found === 1 ? 'finding' : 'findings'}; ${summary}.`;
  return [heading, ...parts, GENERAL_ADVICE].join('\n\n');
}
