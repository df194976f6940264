import { shareHub } from './connection/hub';
import { subscriptionPanel } from './connection/subscription';
import { rotation } from './connection/rotation';
import { repair } from './connection/repair';
import { receiving } from './connection/receiving';
import { grant } from './connection/grant';

shareHub();

describe('the subscription', subscriptionPanel);
describe('the rotation of the webhook, and what no key verifies', rotation);
describe('what the hub may miss', receiving);
describe('a repair', repair);
describe('the grant', grant);
