import { systemClock } from '../../src/relay/ground/clock';
import { systemRandom } from '../../src/relay/ground/random';
import { onlyDaemon } from '../../src/relay/only-daemon';

/** For modules that run without a daemon. */
export const ONLY_DAEMON = onlyDaemon(systemClock, systemRandom, () => 'http://127.0.0.1:4000');
