import { receivingDaemons } from './receiving';
import { stoppedWhileStalled } from './stop-stalled';
import { shareDaemons } from './three-daemons';
import { unresponsiveParts } from './unresponsive';

shareDaemons();

describe('daemons on one database', receivingDaemons);
describe('daemons on one database of which a part does not respond', unresponsiveParts);
// Last: it stops them.
describe('daemons whose server does not respond when they are stopped', stoppedWhileStalled);
