import { z } from 'zod';
import type { Deal } from '../../protocol/shapes';

/** A record with the URL of its API resource (document, 2.1). */
export type Linked<T> = T & { _links: { self: string } };

/** A record as it is stored; the link is added in responses and notifications. */
export type Unlinked<T> = Omit<T, '_links'>;

const commonFields = { responsible_user_id: z.number(), created_at: z.string(), updated_at: z.string() };

/** A stored deal: that of the document, 2.1, without its link. */
export const storedDeal = z.object({
  id: z.number(),
  name: z.string(),
  status_id: z.number(),
  pipeline_id: z.number(),
  ...commonFields,
});

export const storedContact = z.object({
  id: z.number(),
  name: z.string(),
  company: z.string(),
  email: z.string(),
  phone: z.string(),
  ...commonFields,
});

export const storedTask = z.object({
  id: z.number(),
  title: z.string(),
  deal_id: z.number(),
  is_completed: z.boolean(),
  due_at: z.string(),
  ...commonFields,
});

/** The document does not show a contact's fields (2.5); these are our own. */
export type Contact = Linked<z.infer<typeof storedContact>>;

/** The document does not show a task's fields (2.5); these are our own. */
export type Task = Linked<z.infer<typeof storedTask>>;

/** One run of a scenario. The document does not show its fields (2.5). */
export interface ScenarioRun {
  id: number;
  scenario_id: number;
  name: string;
  deal_id: number;
  responsible_user_id: number;
  started_at: string;
  finished_at: string;
}

/** One run of an agent. The document does not show its fields (2.5). */
export interface AgentRun {
  id: number;
  agent_id: number;
  name: string;
  trigger: string;
  deal_id: number;
  triggered_at: string;
}

/** The `data` of an event. The document shows only the deal (6.2). */
export type EventData = Deal | Contact | Task | ScenarioRun | AgentRun;
