import type { HubHealth } from '../../../contract/health';
import type { Metric } from '../../stats/metrics.query';
import type { TargetRecord } from '../../targets/target-record';

/** The hub's health as metrics, so that a rule fires for what the Overview shows. */
export function healthMetrics({ issues }: HubHealth, targets: readonly TargetRecord[]): Metric[] {
  const codes = new Map(issues.map(({ severity, code }) => [`${severity} ${code}`, { severity, code }]));
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
    {
      name: 'switchboard_target_failing',
      help: '1 while the latest attempts fail, unless the circuit breaker is open.',
      type: 'gauge',
      values: targets.map(({ id, name }) => ({
        labels: { target: name },
        value: Number(issues.some((one) => one.code === 'target.failing' && one.target_id === id)),
      })),
    },
  ];
}
