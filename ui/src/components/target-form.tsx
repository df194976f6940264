import { Button, Group, Switch, TextInput } from '@mantine/core';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { ApiError } from '../api/api-error';
import type { TargetDraft } from '../api/targets';
import { ErrorNote } from './error-note';
import { EventsField } from './events-field';
import classes from './target-form.module.css';

interface TargetFormProps {
  initial: TargetDraft;
  submitWord: string;
  pending: boolean;
  error: unknown;
  submit: (draft: TargetDraft) => void;
  cancel: ReactNode;
}

/** What the daemon says of one field, so that it stands beside that field. */
const complaintOn = (error: unknown, field: string): string | undefined =>
  error instanceof ApiError
    ? error.fields.find(({ path }) => path.replace(/^\//, '').split(/[./[]/)[0] === field)?.message
    : undefined;

/** The fields of a target, each saying what it is for. */
export function TargetForm({ initial, submitWord, pending, error, submit, cancel }: TargetFormProps) {
  const [draft, setDraft] = useState(initial);
  const change = (part: Partial<TargetDraft>) => setDraft({ ...draft, ...part });
  const told = ['name', 'url', 'events'].some((field) => complaintOn(error, field) !== undefined);
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    submit({ ...draft, name: draft.name.trim(), url: draft.url.trim() });
  };
  return (
    <form onSubmit={send} className={classes.form}>
      <TextInput
        label="Name"
        description="How you will know it in lists and logs."
        placeholder="Invoices"
        value={draft.name}
        error={complaintOn(error, 'name')}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        required
        maxLength={80}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        label="Address"
        description="Events are sent here by POST. Redirects are not followed."
        placeholder="http://localhost:3000/hook"
        type="url"
        value={draft.url}
        error={complaintOn(error, 'url')}
        onChange={({ currentTarget }) => change({ url: currentTarget.value })}
        required
        autoComplete="off"
        spellCheck={false}
      />
      <EventsField
        value={draft.events}
        error={complaintOn(error, 'events')}
        change={(events) => change({ events })}
      />
      <Switch
        label="Takes new events"
        description="Switched off, new events pass it by. To hold them back and send them later, pause it instead."
        checked={draft.enabled}
        onChange={({ currentTarget }) => change({ enabled: currentTarget.checked })}
      />
      {error !== null && !told && <ErrorNote error={error} />}
      <Group>
        <Button type="submit" variant="filled" loading={pending} disabled={draft.events.length === 0}>
          {submitWord}
        </Button>
        {cancel}
      </Group>
    </form>
  );
}
