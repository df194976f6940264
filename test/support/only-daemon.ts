import { systemClock } from '../../src/relay/ground/clock';
import { OnlyDaemon } from '../../src/relay/ground/daemons';
import { systemRandom } from '../../src/relay/ground/random';

/** For modules that run without a daemon. */
export const onlyDaemon = new OnlyDaemon(systemClock, systemRandom, () => 'http://127.0.0.1:4000');
