import { z } from 'zod';
import { consumerName } from '../../../contract/consumer';
import type { ProblemCode } from '../../../contract/problem-codes';
import { manifestName } from '../../../contract/manifest';
import * as primitives from '../../../contract/primitives';
import { issueId } from '../../../contract/snooze';

interface PathParameter {
  schema: z.ZodType;
  /** The code if there is none with this id. */
  unknown: ProblemCode;
}

const of = (schema: z.ZodType, unknown: ProblemCode): PathParameter => ({ schema, unknown });

/** The parameter in a path, by what precedes it below `/api/v1`. Routes answer 404 to any other text. */
const BY_PREFIX: Record<string, PathParameter> = {
  consumers: of(consumerName, 'consumer_unknown'),
  deliveries: of(primitives.deliveryId, 'delivery_unknown'),
  'deliveries/jobs': of(primitives.jobId, 'job_unknown'),
  duplicates: of(primitives.duplicateId, 'duplicate_unknown'),
  entities: of(primitives.entityKey, 'entity_unknown'),
  erasures: of(primitives.erasureId, 'erasure_unknown'),
  events: of(primitives.eventId, 'event_unknown'),
  manifests: of(manifestName, 'not_found'),
  outages: of(primitives.outageId, 'outage_unknown'),
  rejections: of(primitives.rejectionId, 'rejection_unknown'),
  repairs: of(primitives.repairId, 'repair_unknown'),
  replays: of(primitives.replayId, 'replay_unknown'),
  'saved-views': of(primitives.savedViewId, 'saved_view_unknown'),
  sessions: of(z.string().describe('The id of the session.'), 'session_unknown'),
  snoozes: of(issueId, 'snooze_unknown'),
  'stats/targets': of(primitives.targetId, 'target_unknown'),
  'subscription/webhooks': of(z.string().describe('Its id at Co-Pilot.'), 'webhook_unknown'),
  targets: of(primitives.targetId, 'target_unknown'),
  tokens: of(primitives.tokenId, 'token_unknown'),
  types: of(z.string().describe('The event type.'), 'type_unknown'),
};

/** The parameter of a path such as `/api/v1/events/{id}/body`; undefined if it has none. */
export function pathParameterOf(path: string): PathParameter | undefined {
  const prefix = /^\/api\/v1\/(.+?)\/\{/.exec(path)?.[1];
  if (prefix === undefined) return undefined;
  const found = BY_PREFIX[prefix];
  if (found === undefined) throw new Error(`Describe the parameter of ${path} in path-parameters.ts.`);
  return found;
}
