import { z } from 'zod';

/** A record with the URL of its API resource (document, 2.1), which is added in responses and notifications. */
export type Linked<T> = T & { _links: { self: string } };

const commonFields = { responsible_user_id: z.number(), created_at: z.string(), updated_at: z.string() };

/** Fields of every deal, contact and task. */
export type CommonFields = Pick<StoredDeal, keyof typeof commonFields>;

/** A stored deal: that of the document, 2.1, without its link. */
export const storedDeal = z.object({
  id: z.number(),
  name: z.string(),
  status_id: z.number(),
  pipeline_id: z.number(),
  ...commonFields,
});
export type StoredDeal = z.infer<typeof storedDeal>;

/** The document does not show a contact's fields (2.5); these are our own. */
export const storedContact = z.object({
  id: z.number(),
  name: z.string(),
  company: z.string(),
  email: z.string(),
  phone: z.string(),
  ...commonFields,
});
export type StoredContact = z.infer<typeof storedContact>;

/** The document does not show a task's fields (2.5); these are our own. */
export const storedTask = z.object({
  id: z.number(),
  title: z.string(),
  deal_id: z.number(),
  is_completed: z.boolean(),
  due_at: z.string(),
  ...commonFields,
});
export type StoredTask = z.infer<typeof storedTask>;
