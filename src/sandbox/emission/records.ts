import type { Deal } from '../../protocol/shapes';

/** A record without its link, which only an answer or a notification carries. */
export type Unlinked<T> = Omit<T, '_links'>;

/** A record with the address at which the service would show it (document, 2.1). */
export type Linked<T> = T & { _links: { self: string } };

/** Our reading of a contact; its fields are not shown (document, 2.5). */
export interface Contact {
  id: number;
  name: string;
  company: string;
  email: string;
  phone: string;
  responsible_user_id: number;
  created_at: string;
  updated_at: string;
  _links: { self: string };
}

/** Our reading of a task; its fields are not shown (document, 2.5). */
export interface Task {
  id: number;
  title: string;
  deal_id: number;
  responsible_user_id: number;
  is_completed: boolean;
  due_at: string;
  created_at: string;
  updated_at: string;
  _links: { self: string };
}

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
