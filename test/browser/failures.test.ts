import { shareHub } from './failures/hub';
import { failuresScreen } from './failures/causes';
import { recovery } from './failures/recovery';
import { manyDeadLetters } from './failures/many-dead-letters';

shareHub();

describe('the failures screen', failuresScreen);
describe('a target that responds again', recovery);
describe('the failures screen with many dead letters', manyDeadLetters);
