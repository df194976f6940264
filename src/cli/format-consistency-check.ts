import type { Ledger } from '../contract/ledger';
import { oneLine } from './printable';

const IN_GENERAL =
  'No working of Switchboard leads to this: the disk, another program or a fault of ours did. Keep a copy of DATA_DIR before anything is changed.';

/** What a check of the books found, for people: each kind of finding once, with what to do about it. */
export function formatConsistencyCheck({ balanced, checked, found, findings }: Ledger): string {
  const { events, deliveries, attempts, lanes } = checked;
  const summary = `${events} events, ${deliveries} deliveries, ${attempts} attempts and ${lanes} lanes checked`;
  if (balanced) return `The books balance: ${summary}.`;
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  const parts = rules.map((rule) => {
    const of = findings.filter((finding) => finding.rule === rule);
    return [
      rule,
      ...of.map(({ sentence }) => `  ${oneLine(sentence)}`),
      `  What to do: ${of[0]!.remedy}`,
    ].join('\n');
  });
  const rest = found - findings.length;
  if (rest > 0) parts.push(`And ${rest} more of these kinds.`);
  const heading = `The books do not balance: ${found} ${found === 1 ? 'finding' : 'findings'}; ${summary}.`;
  return [heading, ...parts, IN_GENERAL].join('\n\n');
}
