import type { Target } from '@contract/target';
import { severityOf, worstFirst } from '../../labels/target-labels';
import type { TargetColumn, TargetSort } from '../../search/targets-search';

/** The value to sort by; null comes last in either order. */
const VALUES: Record<TargetColumn, (target: Target) => number | string | null> = {
  name: ({ name }) => name.toLowerCase(),
  state: severityOf,
  success: ({ health: { attempts, failed } }) => (attempts === 0 ? null : 1 - failed / attempts),
  p95: ({ health }) => health.p95_ms,
  backlog: ({ backlog }) => backlog.open,
  delivered: ({ health }) => health.last_delivered_at,
};

/** Sorts targets by a column; without one, the worst state comes first. */
export function sortTargets(targets: readonly Target[], sort: TargetSort | undefined): Target[] {
  if (sort === undefined) return worstFirst(targets);
  const direction = sort.startsWith('-') ? -1 : 1;
  const valueOf = VALUES[sort.replace(/^-/, '') as TargetColumn];
  return targets.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return a === b ? 0 : a < b ? -direction : direction;
  });
}
