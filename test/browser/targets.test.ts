import { shareHub } from './targets/hub';
import { filterOfTarget } from './targets/filter';
import { formOfTarget } from './targets/form';
import { historyOfTarget } from './targets/history-of-target';
import { pageOfTarget } from './targets/page-of-target';
import { leavingTargets } from './targets/leaving';
import { listenerOfTarget } from './targets/listener';
import { listOfTargets } from './targets/list';
import { testEvents } from './targets/test-event';
import { transformationOfTarget } from './targets/transformation';
import { looksOfTargets } from './targets/looks';

shareHub();

describe('the filter of a target', filterOfTarget);
describe('the form of a target', formOfTarget);
describe('the page of a target', pageOfTarget);
describe('the errors and charts of a target', historyOfTarget);
describe('leaving a form of a target', leavingTargets);
describe('the transformation of a target', transformationOfTarget);
describe('test events', testEvents);
describe('a listener', listenerOfTarget);
describe('the list of targets', listOfTargets);
describe('the screens of targets', looksOfTargets);
