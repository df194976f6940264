import type { HubHealth } from '../../../contract/health';
import type { Metric } from '../../stats/metrics.query';
import type { TargetRecord } from '../../targets/target-record';
import type { IssueCode } from './draft-issue';

/** The hub's health as metrics, so that a rule fires for what the Overview shows. */
export function healthMetrics({ issues }: HubHealth, targets: readonly TargetRecord[]): Metric[] {
  const codes = new Map(issues.map(({ severity, code }) => [`${severity} ${code}`, { severity, code }]));
  const ofTargets = (name: string, code: IssueCode, help: string): Metric => ({
    name,
    help,
    type: 'gauge',
    values: targets.map(({ id, name: target }) => ({
      labels: { target },
      value: Number(issues.some((one) => one.code === code && one.target_id === id)),
    })),
  });
  return [
    {
      name: 'switchboard_health_issues',
      help: 'What needs attention, as on the Overview. There is no series for what does not.',
      type: 'gauge',
      values: [...codes.values()].map(({ severity, code }) => ({
        labels: { severity, code },
        value: issues.filter((one) => one.code === code && one.severity === severity).length,
      })),
    },
    ofTargets(
      'switchboard_target_failing',
      'target.failing',
      '1 while the latest attempts fail, unless the circuit breaker is open.',
    ),
    ofTargets(
      'switchboard_target_blocked',
      'target.blocked',
      '1 while deliveries wait behind a dead letter.',
    ),
  ];
}
