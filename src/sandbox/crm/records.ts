import { z } from 'zod';
import type { Deal } from '../../protocol/shapes';

/** A record with the address at which the service shows it (document, 2.1). */
export type Linked<T> = T & { _links: { self: string } };

/** A record without its link, which only an answer or a notification carries. */
export type Unlinked<T> = Omit<T, '_links'>;

const commonFields = { responsible_user_id: z.number(), created_at: z.string(), updated_at: z.string() };

/** A deal as it is kept: that of the document, 2.1, without its link. */
export const storedDeal = z.object({
  id: z.number(),
  name: z.string(),
  status_id: z.number(),
  pipeline_id: z.number(),
  ...commonFields,
});

/** A contact as it is kept. */
export const storedContact = z.object({
  id: z.number(),
  name: z.string(),
  company: z.string(),
  email: z.string(),
  phone: z.string(),
  ...commonFields,
});

/** A task as it is kept. */
export const storedTask = z.object({
  id: z.number(),
  title: z.string(),
  deal_id: z.number(),
  is_completed: z.boolean(),
  due_at: z.string(),
  ...commonFields,
});

/** Our reading of a contact; its fields are not shown (document, 2.5). */
export type Contact = Linked<z.infer<typeof storedContact>>;

/** Our reading of a task; its fields are not shown (document, 2.5). */
export type Task = Linked<z.infer<typeof storedTask>>;

/** Our reading of one run of a scenario; its fields are not shown (document, 2.5). */
export interface ScenarioRun {
  id: number;
  scenario_id: number;
  name: string;
  deal_id: number;
  responsible_user_id: number;
  started_at: string;
  finished_at: string;
}

/** Our reading of one time an agent was triggered; its fields are not shown (document, 2.5). */
export interface AgentRun {
  id: number;
  agent_id: number;
  name: string;
  trigger: string;
  deal_id: number;
  triggered_at: string;
}

/** What an event's `data` may be; of these the document shows the deal only (document, 6.2). */
export type EventData = Deal | Contact | Task | ScenarioRun | AgentRun;
