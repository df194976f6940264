import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { PIPELINES, statusesOf } from '../crm/pipelines';
import { USER_IDS } from '../crm/sample-data';
import type { EventType } from '../../protocol/event-types';
import type { Deal } from '../../protocol/shapes';
import { parseRequest } from '../parse-request';
import type { Parts } from '../parts';
import { Problem } from '../problem';
import { type WithId, requireFound } from './require-found';

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
const dealRequest = z
  .strictObject({ name: text('a name'), ...dealShape })
  .superRefine((deal, context) => checkStatus(deal, context));

/** Changes of a deal in the given pipeline. */
function dealChanges(pipelineId: number) {
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

const contactRequest = z.strictObject({ name: text('a name'), ...contactShape });

const contactChanges = z.strictObject({ name: text('a name').exactOptional(), ...contactShape });

const taskRequest = z.strictObject({
  title: text('a title'),
  deal_id: z.int('Send the ID of a deal.').exactOptional(),
  due_at: z.iso.datetime('Send an ISO 8601 time in UTC, such as 2026-03-02T09:30:00Z.').exactOptional(),
  responsible_user_id: user,
});

const idOf = ({ params }: WithId): number => Number(params.id);

const silence = z.looseObject({ notify: z.boolean('Send true or false.').exactOptional() });

/**
 * Creates and changes deals, contacts and tasks; each change emits its events (document, 6.1), unless `"notify": false`
 * in the request says that Co-Pilot loses them.
 */
export function crmRoutes(app: FastifyInstance, { crm, emitter }: Parts): void {
  /** The other fields of a request, and what emits its events. */
  const read = (body: unknown): { fields: unknown; emit: (event: EventType, record: object) => void } => {
    const isSilent = typeof body === 'object' && body !== null && 'notify' in body;
    const { notify = true, ...fields } = isSilent ? parseRequest(silence, body) : {};
    const emit = (event: EventType, record: object) => void (notify && emitter.notify(event, record));
    return { fields: isSilent ? fields : body, emit };
  };

  app.get('/panel/deals', () => ({ data: crm.deals.all() }));

  app.post('/panel/deals', (request, reply) => {
    const { fields, emit } = read(request.body);
    const deal = crm.deals.create(parseRequest(dealRequest, fields));
    emit('deal.created', deal);
    return reply.code(201).send(deal);
  });

  app.patch('/panel/deals/:id', (request: WithId) => {
    const { fields, emit } = read(request.body);
    const before = requireFound(crm.deals.find(idOf(request)), 'deal');
    const changes = parseRequest(dealChanges(before.pipeline_id), fields);
    const types = eventsOf(before, { ...before, ...changes });
    if (types.length === 0) return before;
    const after = requireFound(crm.deals.change(before.id, changes), 'deal');
    for (const type of types) emit(type, after);
    return after;
  });

  app.delete('/panel/deals/:id', (request: WithId, reply) => {
    const { emit } = read(request.body);
    const deal = requireFound(crm.deals.delete(idOf(request)), 'deal');
    emit('deal.deleted', deal);
    return reply.code(204).send();
  });

  app.get('/panel/contacts', () => ({ data: crm.contacts.all() }));
  app.post('/panel/contacts', (request, reply) => {
    const { fields, emit } = read(request.body);
    const contact = crm.contacts.create(parseRequest(contactRequest, fields));
    emit('contact.created', contact);
    return reply.code(201).send(contact);
  });
  app.patch('/panel/contacts/:id', (request: WithId) => {
    const { fields, emit } = read(request.body);
    const changes = parseRequest(contactChanges, fields);
    const contact = requireFound(crm.contacts.change(idOf(request), changes), 'contact');
    emit('contact.updated', contact);
    return contact;
  });

  app.get('/panel/tasks', () => ({ data: crm.tasks.all() }));
  app.post('/panel/tasks', (request, reply) => {
    const { fields: given, emit } = read(request.body);
    const fields = parseRequest(taskRequest, given);
    if (fields.deal_id !== undefined && !crm.deals.find(fields.deal_id)) {
      const detail = 'There is no deal with this id. List the deals to see their ids.';
      const errors = [{ field: 'deal_id', detail }];
      throw new Problem(422, 'invalid_request', 'Invalid request', `deal_id: ${detail}`, errors);
    }
    const task = crm.tasks.create(fields);
    emit('task.created', task);
    return reply.code(201).send(task);
  });
  app.post('/panel/tasks/:id/complete', (request: WithId) => {
    const { emit } = read(request.body);
    const task = requireFound(crm.tasks.complete(idOf(request)), 'open task');
    emit('task.completed', task);
    return task;
  });
}

// A new status or pipeline is a status change; changes of the other fields are an update.
function eventsOf(before: Deal, after: Deal): EventType[] {
  const isMoved = before.status_id !== after.status_id || before.pipeline_id !== after.pipeline_id;
  const isUpdated = before.name !== after.name || before.responsible_user_id !== after.responsible_user_id;
  return [
    ...(isUpdated ? ['deal.updated' as const] : []),
    ...(isMoved ? ['deal.status_changed' as const] : []),
  ];
}

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
