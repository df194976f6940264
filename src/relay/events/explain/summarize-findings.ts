import type { TargetOutcome } from '../../../contract/explanation';
import type { TargetFinding } from './explain-delivery';

interface NamedFinding extends TargetFinding {
  name: string;
}

/** More reasons than these are only counted. */
const MAX_REASONS = 2;

/**
 * All outcomes in a sentence, the failures first: "Failed at 1 of 6 targets: HTTP 500, 3 attempts; 2 queued behind an
 * open circuit breaker; 3 delivered." A target counts if the event was sent or queued there.
 */
export function summarizeFindings(findings: readonly NamedFinding[]): string {
  const having = (outcome: TargetOutcome) => findings.filter((finding) => finding.outcome === outcome);
  const [failed, queued, delivered, notSent] = [
    having('failed'),
    having('queued'),
    having('delivered'),
    having('not_sent'),
  ];
  const total = findings.length - notSent.length;
  if (findings.length === 0) return 'There is no target yet.';
  if (total === 0) return `Not sent to any target: ${listReasons(notSent)}.`;
  if (delivered.length === total)
    return total === 1 ? `Delivered to ${delivered[0]!.name}.` : `Delivered to all ${total} targets.`;
  const ofTotal = `of ${total} target${total === 1 ? '' : 's'}`;
  const parts = [
    failed.length > 0 && `failed at ${failed.length} ${ofTotal}: ${listReasons(failed)}`,
    ...byBrief(queued).map(([brief, { length }], at) =>
      failed.length === 0 && at === 0 ? `${length} ${ofTotal} queued ${brief}` : `${length} queued ${brief}`,
    ),
    delivered.length > 0 && `${delivered.length} delivered`,
  ];
  const text = parts.filter((part) => part !== false).join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

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
