import { auditLog } from './settings/audit-log';
import { shareHub } from './settings/hub';
import { panelsOfSettings } from './settings/panels';
import { listedSessions } from './settings/sessions';
import { apiTokens } from './settings/tokens';

shareHub();

describe('API tokens', apiTokens);
describe('sessions', listedSessions);
describe('the audit log', auditLog);
describe('the page of settings', panelsOfSettings);
