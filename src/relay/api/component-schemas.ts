import { z } from 'zod';
import { alertSummary } from '../../contract/alert';
import { auditEntry } from '../../contract/audit';
import { connection, disconnection } from '../../contract/connection';
import { deathCauses } from '../../contract/dead-letter';
import {
  delivery,
  deliveryDetail,
  deliveryJob,
  discard,
  discardDead,
  retryDead,
} from '../../contract/delivery';
import { duplicate, duplicateRelease } from '../../contract/duplicate';
import { eventDetail, eventSummary } from '../../contract/event';
import { filter, filterPreview, filterPreviewQuery } from '../../contract/filter';
import { ledger } from '../../contract/ledger';
import { outage } from '../../contract/outage';
import { probe } from '../../contract/probe';
import { problem } from '../../contract/problem';
import { recheckOutcome, rejection } from '../../contract/rejection';
import {
  eventReplay,
  eventResend,
  replay,
  replayCreate,
  replayDetail,
  replayPlan,
  replayPreview,
  resent,
} from '../../contract/replay';
import { sandbox, sandboxEmitted, sandboxEvent, sandboxFaults, sandboxTraffic } from '../../contract/sandbox';
import { loginLink, openSession, session, sessionCreate, sessionOpened } from '../../contract/session';
import { settings } from '../../contract/settings';
import { stats, statsSeries, targetErrors, targetsTraffic } from '../../contract/stats';
import { drift, rotationRequest, subscription } from '../../contract/subscription';
import {
  secretRotation,
  target,
  targetCreate,
  targetCreated,
  targetPatch,
  targetPatched,
  targetTrial,
  testOutcome,
} from '../../contract/target';
import { targetPolicy } from '../../contract/target-policy';
import { scope, token, tokenCreate, tokenCreated } from '../../contract/token';

/** What is answered. */
const ANSWERS = {
  alertSummary,
  auditEntry,
  connection,
  deathCauses,
  delivery,
  deliveryDetail,
  deliveryJob,
  drift,
  duplicate,
  duplicateRelease,
  eventDetail,
  eventSummary,
  filterPreview,
  ledger,
  loginLink,
  outage,
  probe,
  problem,
  recheckOutcome,
  rejection,
  replay,
  replayDetail,
  replayPlan,
  replayPreview,
  resent,
  sandbox,
  sandboxEmitted,
  session,
  sessionOpened,
  openSession,
  settings,
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

/** What is asked for. */
const REQUESTS = {
  disconnection,
  discard,
  discardDead,
  eventReplay,
  eventResend,
  filterPreviewQuery,
  replayCreate,
  retryDead,
  rotationRequest,
  sandboxEvent,
  sandboxFaults,
  sandboxTraffic,
  secretRotation,
  sessionCreate,
  targetCreate,
  targetPatch,
  targetTrial,
  tokenCreate,
};

/** The same on either way. */
const BOTH = { filter, scope };

type Names = z.core.$ZodRegistry<{ id: string }>;

/** Under which names the API's description shares its schemas: those of their types. */
export const componentNames: Readonly<Record<'input' | 'output', Names>> = {
  input: named({ ...REQUESTS, ...BOTH }),
  output: named({ ...ANSWERS, ...BOTH }),
};

function named(schemas: Record<string, z.ZodType>): Names {
  const names = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(schemas))
    names.add(schema, { id: name[0]!.toUpperCase() + name.slice(1) });
  return names;
}
