import { z } from 'zod';
import { USER_IDS } from '../crm/sample-data';
import { PIPELINES, statusesOf } from '../crm/pipelines';

/** 1 to 200 characters after trimming. */
const text = (what: string) =>
  z
    .string(`Send ${what} as a string.`)
    .trim()
    .min(1, `Send a non-empty string.`)
    .max(200, 'Send at most 200 characters.');

const user = z
  .int('Send the ID of a user.')
  .refine((id) => USER_IDS.some((known) => known === id), `Send one of the users ${USER_IDS.join(', ')}.`)
  .exactOptional();

const pipeline = z
  .int('Send the ID of a pipeline.')
  .refine(
    (id) => PIPELINES.some((known) => known.id === id),
    `Send one of the pipelines ${PIPELINES.map(({ id }) => id).join(', ')}.`,
  )
  .exactOptional();

const dealShape = {
  pipeline_id: pipeline,
  status_id: z.int('Send the ID of a status.').exactOptional(),
  responsible_user_id: user,
};

/** A deal to create. A status requires the pipeline that it belongs to. */
export const dealRequest = z
  .strictObject({ name: text('a name'), ...dealShape })
  .superRefine((deal, context) => checkStatus(deal, context));

/** Changes of a deal in the given pipeline. */
export function dealChanges(pipelineId: number) {
  return z
    .strictObject({ name: text('a name').exactOptional(), ...dealShape })
    .superRefine((deal, context) => checkStatus({ pipeline_id: pipelineId, ...deal }, context));
}

const contactShape = {
  company: text('a company').exactOptional(),
  email: text('an email address').exactOptional(),
  phone: text('a phone number').exactOptional(),
  responsible_user_id: user,
};

export const contactRequest = z.strictObject({ name: text('a name'), ...contactShape });

export const contactChanges = z.strictObject({ name: text('a name').exactOptional(), ...contactShape });

export const taskRequest = z.strictObject({
  title: text('a title'),
  deal_id: z.int('Send the ID of a deal.').exactOptional(),
  due_at: z.iso.datetime('Send an ISO 8601 time in UTC, such as 2026-03-02T09:30:00Z.').exactOptional(),
  responsible_user_id: user,
});

function checkStatus(deal: { pipeline_id?: number; status_id?: number }, context: z.RefinementCtx): void {
  const statuses = statusesOf(deal.pipeline_id ?? 0);
  if (deal.status_id === undefined || statuses.some(({ id }) => id === deal.status_id)) return;
  const known = statuses.map(({ id, name }) => `${id} (${name})`).join(', ');
  context.addIssue({
    code: 'custom',
    path: ['status_id'],
    message: known ? `Send a status of this pipeline: ${known}.` : 'Send pipeline_id too.',
  });
}
