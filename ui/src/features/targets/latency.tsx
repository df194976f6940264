import type { TargetHealth } from '@contract/target-health';
import { None } from '../../components/none';
import { formatMilliseconds } from '../../format/number';

/** How long attempts in the last hour took; of a target that received none, it would only tell how fast it fails. */
export const Latency = ({ health: { attempts, failed, p95_ms: p95 } }: { health: TargetHealth }) =>
  p95 === null || failed === attempts ? <None /> : formatMilliseconds(p95);
