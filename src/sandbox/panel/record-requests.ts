import { z } from 'zod';
import { USER_IDS } from '../crm/sample-data';
import { PIPELINES, statusesOf } from '../crm/pipelines';

/** 1 to 200 letters, without space around them. */
const text = (what: string) =>
  z
    .string(`Send ${what} as a text.`)
    .trim()
    .min(1, `Send ${what} that is not empty.`)
    .max(200, 'Send at most 200 letters.');

const user = z
  .int('Send the number of a user.')
  .refine((id) => USER_IDS.some((known) => known === id), `Send one of the users ${USER_IDS.join(', ')}.`)
  .exactOptional();

const pipeline = z
  .int('Send the number of a pipeline.')
  .refine(
    (id) => PIPELINES.some((known) => known.id === id),
    `Send one of the pipelines ${PIPELINES.map(({ id }) => id).join(', ')}.`,
  )
  .exactOptional();

const dealShape = {
  pipeline_id: pipeline,
  status_id: z.int('Send the number of a status.').exactOptional(),
  responsible_user_id: user,
};

/** A deal to be created; a status is one of the pipeline that is named with it. */
export const dealRequest = z
  .strictObject({ name: text('a name'), ...dealShape })
  .superRefine((deal, context) => refuseForeignStatus(deal, context));

/** Changes of a deal that is in this pipeline. */
export function dealChanges(pipelineId: number) {
  return z
    .strictObject({ name: text('a name').exactOptional(), ...dealShape })
    .superRefine((deal, context) => refuseForeignStatus({ pipeline_id: pipelineId, ...deal }, context));
}

const contactShape = {
  company: text('a company').exactOptional(),
  email: text('an address').exactOptional(),
  phone: text('a number').exactOptional(),
  responsible_user_id: user,
};

export const contactRequest = z.strictObject({ name: text('a name'), ...contactShape });

export const contactChanges = z.strictObject({ name: text('a name').exactOptional(), ...contactShape });

export const taskRequest = z.strictObject({
  title: text('a title'),
  deal_id: z.int('Send the number of a deal.').exactOptional(),
  due_at: z.iso.datetime('Send an ISO 8601 time in UTC, such as 2026-03-02T09:30:00Z.').exactOptional(),
  responsible_user_id: user,
});

function refuseForeignStatus(
  deal: { pipeline_id?: number; status_id?: number },
  context: z.RefinementCtx,
): void {
  const statuses = statusesOf(deal.pipeline_id ?? 0);
  if (deal.status_id === undefined || statuses.some(({ id }) => id === deal.status_id)) return;
  const known = statuses.map(({ id, name }) => `${id} (${name})`).join(', ');
  context.addIssue({
    code: 'custom',
    path: ['status_id'],
    message: known ? `Send a status of the pipeline: ${known}.` : 'Send pipeline_id with it.',
  });
}
