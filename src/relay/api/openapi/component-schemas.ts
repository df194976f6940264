import { z } from 'zod';
import * as alert from '../../../contract/alert';
import * as audit from '../../../contract/audit';
import * as backup from '../../../contract/backup';
import * as connection from '../../../contract/connection';
import * as daemon from '../../../contract/daemon';
import * as deadLetter from '../../../contract/dead-letter';
import * as delivery from '../../../contract/delivery';
import * as duplicate from '../../../contract/duplicate';
import * as event from '../../../contract/event';
import * as explanation from '../../../contract/explanation';
import * as filter from '../../../contract/filter';
import * as health from '../../../contract/health';
import * as ledger from '../../../contract/ledger';
import * as outage from '../../../contract/outage';
import * as payloadField from '../../../contract/payload-field';
import * as problem from '../../../contract/problem';
import * as reachability from '../../../contract/reachability';
import * as rejection from '../../../contract/rejection';
import * as replay from '../../../contract/replay';
import * as sandbox from '../../../contract/sandbox';
import * as session from '../../../contract/session';
import * as settings from '../../../contract/settings';
import * as snooze from '../../../contract/snooze';
import * as stats from '../../../contract/stats';
import * as subscription from '../../../contract/subscription';
import * as target from '../../../contract/target';
import * as targetPolicy from '../../../contract/target-policy';
import * as token from '../../../contract/token';

const RESOURCES: Record<string, unknown> = {
  ...alert,
  ...audit,
  ...backup,
  ...connection,
  ...daemon,
  ...deadLetter,
  ...delivery,
  ...duplicate,
  ...event,
  ...explanation,
  ...filter,
  ...health,
  ...ledger,
  ...outage,
  ...payloadField,
  ...problem,
  ...reachability,
  ...rejection,
  ...replay,
  ...sandbox,
  ...session,
  ...settings,
  ...snooze,
  ...stats,
  ...subscription,
  ...target,
  ...targetPolicy,
  ...token,
};

/** What is in a URL is described with its route. */
const IN_URL = /(?<!Preview)Query$|^(eventFilters|issueId)$/;

/** The names of shared schemas in `openapi.json`: those of their types. */
export const componentNames = z.registry<{ id: string }>();

for (const [name, schema] of Object.entries(RESOURCES))
  if (schema instanceof z.ZodType && !IN_URL.test(name))
    componentNames.add(schema, { id: name[0]!.toUpperCase() + name.slice(1) });
