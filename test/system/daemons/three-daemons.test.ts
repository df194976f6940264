import { dividedTargets } from './divided-targets';
import { erasedEverywhere } from './erased-everywhere';
import { failingTransforms } from './failing-transforms';
import { gapBeforeStart } from './gap-before-start';
import { ownerChanges } from './owner-changes';
import { rollingRestart } from './rolling-restart';
import { shareDaemons } from './three-daemons';

shareDaemons();

describe('targets that are divided among daemons', dividedTargets);
describe('targets whose expression fails', failingTransforms);
describe('targets whose owner stops, is killed or freezes', ownerChanges);
describe('an entity that is erased', erasedEverywhere);
describe('daemons that start after an outage', gapBeforeStart);
// Last: it leaves one daemon.
describe('daemons that are restarted one after the other under load', rollingRestart);
