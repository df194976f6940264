import { z } from 'zod';
import { alertSummary } from '../../contract/alert';
import { auditEntry } from '../../contract/audit';
import { backup, backupCreate, backupRun, backups } from '../../contract/backup';
import { connection, disconnection } from '../../contract/connection';
import { daemon, daemons } from '../../contract/daemon';
import { deadLetterCauses } from '../../contract/dead-letter';
import {
  delivery,
  deliveryDetail,
  deliveryJob,
  discard,
  discardDead,
  retryDead,
} from '../../contract/delivery';
import { duplicate, duplicateRelease } from '../../contract/duplicate';
import { explanation } from '../../contract/explanation';
import { eventCount, eventDetail, eventHistogram, eventSummary, listedEvent } from '../../contract/event';
import { filter, filterPreview, filterPreviewQuery } from '../../contract/filter';
import { hubHealth, issue } from '../../contract/health';
import { ledger } from '../../contract/ledger';
import { outage } from '../../contract/outage';
import { reachabilityCheck } from '../../contract/reachability';
import { problem } from '../../contract/problem';
import { payloadFields } from '../../contract/payload-field';
import { recheckOutcome, rejection } from '../../contract/rejection';
import {
  eventReplay,
  eventResend,
  replay,
  replayCreate,
  replayDetail,
  replaySummary,
  replayPreview,
  resent,
} from '../../contract/replay';
import { sandbox, sandboxEmitted, sandboxEvent, sandboxFaults, sandboxTraffic } from '../../contract/sandbox';
import { loginLink, openSession, session, sessionCreate, sessionOpened } from '../../contract/session';
import { settings } from '../../contract/settings';
import { snooze, snoozeCreate, snoozes } from '../../contract/snooze';
import { stats, statsSeries, targetErrors, targetsTraffic } from '../../contract/stats';
import { drift, rotationRequest, subscription } from '../../contract/subscription';
import {
  changedTargets,
  messagePreview,
  messagePreviewQuery,
  secretRotation,
  target,
  targetCreate,
  targetCreated,
  targetPatch,
  targetPatched,
  targetPause,
  targetTest,
  targetsPause,
  targetsResume,
  testOutcome,
} from '../../contract/target';
import { targetPolicy } from '../../contract/target-policy';
import { scope, token, tokenCreate, tokenCreated } from '../../contract/token';

const RESPONSES = {
  alertSummary,
  auditEntry,
  backup,
  backupRun,
  backups,
  changedTargets,
  connection,
  daemon,
  daemons,
  deadLetterCauses,
  delivery,
  deliveryDetail,
  deliveryJob,
  drift,
  duplicate,
  duplicateRelease,
  eventCount,
  eventDetail,
  eventHistogram,
  eventSummary,
  explanation,
  filterPreview,

  hubHealth,
  messagePreview,
  issue,
  ledger,
  listedEvent,
  loginLink,
  outage,
  payloadFields,
  reachabilityCheck,
  problem,
  recheckOutcome,
  rejection,
  replay,
  replayDetail,
  replaySummary,
  replayPreview,
  resent,
  sandbox,
  sandboxEmitted,
  session,
  sessionOpened,
  openSession,
  settings,
  snooze,
  snoozes,
  stats,
  statsSeries,
  subscription,
  target,
  targetCreated,
  targetErrors,
  targetPatched,
  targetPolicy,
  targetsTraffic,
  testOutcome,
  token,
  tokenCreated,
};

const REQUESTS = {
  backupCreate,
  disconnection,
  discard,
  discardDead,
  eventReplay,
  eventResend,
  filterPreviewQuery,
  messagePreviewQuery,
  replayCreate,
  retryDead,
  rotationRequest,
  sandboxEvent,
  sandboxFaults,
  sandboxTraffic,
  secretRotation,
  sessionCreate,
  snoozeCreate,
  targetCreate,
  targetPatch,
  targetPause,
  targetTest,
  targetsPause,
  targetsResume,
  tokenCreate,
};

/** In requests and responses. */
const SHARED = { filter, scope };

type Names = z.core.$ZodRegistry<{ id: string }>;

/** The names of shared schemas in `openapi.json`: those of their types. */
export const componentNames: Readonly<Record<'input' | 'output', Names>> = {
  input: named({ ...REQUESTS, ...SHARED }),
  output: named({ ...RESPONSES, ...SHARED }),
};

function named(schemas: Record<string, z.ZodType>): Names {
  const names = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(schemas))
    names.add(schema, { id: name[0]!.toUpperCase() + name.slice(1) });
  return names;
}
