import type { TargetOutcome } from '../../../contract/explanation';
import { CANCELLED, type TargetFinding } from './explain-delivery';

interface NamedFinding extends TargetFinding {
  name: string;
}

/** More reasons than these are only counted. */
const MAX_REASONS = 2;

/** More targets than these are only counted. */
const MAX_NAMES = 4;

/**
 * All outcomes, the failures first: "Failed at ERP (HTTP 500, 3 attempts). Queued for Billing (behind an open circuit
 * breaker). Delivered to 3 targets. Cancelled for Ledger."
 */
export function summarizeFindings(findings: readonly NamedFinding[]): string {
  const having = (outcome: TargetOutcome) => findings.filter((finding) => finding.outcome === outcome);
  const [failed, queued, delivered, notSent] = [
    having('failed'),
    having('queued'),
    having('delivered'),
    having('not_sent'),
  ];
  const cancelled = notSent.filter(({ brief }) => brief === CANCELLED);
  const total = findings.length - notSent.length + cancelled.length;
  if (findings.length === 0) return 'There is no target yet.';
  if (notSent.length === findings.length) return `Not sent to any target: ${listReasons(notSent)}.`;
  const all = delivered.length === total ? 'all ' : '';
  const parts = [
    failed.length > 0 && `Failed at ${listNames(failed)}.`,
    queued.length > 0 && `Queued for ${listNames(queued)}.`,
    delivered.length === 1 && `Delivered to ${delivered[0]!.name}.`,
    delivered.length > 1 && `Delivered to ${all}${delivered.length} targets.`,
    cancelled.length > 0 && `Cancelled for ${namesOf(cancelled)}${andMore(cancelled)}.`,
  ];
  return parts.filter((part) => part !== false).join(' ');
}

/** The names of targets, each reason once, after those that have it. */
function listNames(findings: readonly NamedFinding[]): string {
  const shown = byBrief(findings.slice(0, MAX_NAMES)).map(([brief, group]) => `${namesOf(group)} (${brief})`);
  return shown.join(', ') + andMore(findings);
}

const namesOf = (findings: readonly NamedFinding[]): string =>
  findings
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)
    .join(', ');

const andMore = ({ length }: readonly NamedFinding[]): string =>
  length > MAX_NAMES ? ` and ${length - MAX_NAMES} more` : '';

function listReasons(findings: readonly NamedFinding[]): string {
  const groups = byBrief(findings);
  const shown = groups
    .slice(0, MAX_REASONS)
    .map(([brief, { length }]) => (groups.length === 1 ? brief : `${brief} (${length})`));
  const more = groups.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more reason${more === 1 ? '' : 's'}` : '');
}

/** Findings grouped by their words, the most frequent first. */
function byBrief(findings: readonly NamedFinding[]): [brief: string, findings: NamedFinding[]][] {
  const groups = new Map<string, NamedFinding[]>();
  for (const finding of findings) groups.set(finding.brief, [...(groups.get(finding.brief) ?? []), finding]);
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
}
