import { DEFAULT_POLICY } from '../../src/contract/default-policy';
import { ListenerLinks } from '../../src/relay/deliveries/listeners/listener-links';
import { CLOSED } from '../../src/relay/deliveries/sending/breaker';
import { TimeBounds } from '../../src/relay/ground/time-bounds';
import type { TargetRecord } from '../../src/relay/targets/target-record';
import { FixedClock } from './clock';

/** A target that no request reaches. */
export const TARGET = {
  number: 1,
  listener: null,
  url: 'http://127.0.0.1:9/',
  tls: null,
  policy: DEFAULT_POLICY,
  paused: null,
  disabled: null,
} as unknown as TargetRecord;

/** For a queue whose deliveries get no further than the read of their event. */
export const QUEUE_TOOLS = {
  guard: { routeTo: () => ({}), literalCheckFor: () => () => null },
  listeners: new ListenerLinks(),
  sending: { open: () => 1, abort: () => undefined, end: async () => undefined },
  breakers: { of: () => CLOSED, read: async () => undefined },
  bounds: new TimeBounds(new FixedClock(0)),
  failingTransforms: { isPausing: () => false },
};
