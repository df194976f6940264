import { shareHub } from './event/hub';
import { payload } from './event/payload';
import { pageOfEvent } from './event/page-of-event';
import { erasure } from './event/erasure';
import { history } from './event/history';

shareHub();

describe('the payload', payload);
describe('the page of an event', pageOfEvent);
describe('the history of an entity', history);
describe('an erasure', erasure);
