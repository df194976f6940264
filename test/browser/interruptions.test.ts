import { daemonRestart } from './interruptions/daemon-restart';
import { endedSession } from './interruptions/ended-session';
import { shareHub } from './interruptions/hub';
import { lostConnection } from './interruptions/lost-connection';

shareHub();

describe('a restart of the daemon', daemonRestart);
describe('a session that has ended', endedSession);
// Last: the page gets a clock of the test.
describe('a lost connection', lostConnection);
