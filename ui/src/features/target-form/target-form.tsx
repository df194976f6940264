import { Group } from '@mantine/core';
import { useEffect, useMemo, useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import { ApiError } from '../../api/api-error';
import type { TargetInput } from '../../api/targets';
import { GuardedButton } from '../../components/guarded-button';
import { ErrorNote } from '../../components/error-note';
import { LeaveGuard } from '../../components/leave-guard';
import { AddressField } from './address-field';
import { EventsField } from './events-field';
import type { FormPart } from './form-part';
import { AdvancedSections, DeliverySections, FilterSection } from './form-sections';
import { FormatField } from './format-field';
import { KindField } from './kind-field';
import type { FieldError } from './policy-draft';
import { MessagePreview } from '../targets/message-preview';
import { OrderFields } from './order-fields';
import { PreviewField } from './preview-field';
import { RequiredInput } from './required-input';
import { parseDraft, type TargetDraft } from './target-draft';
import classes from './target-form.module.css';

interface TargetFormProps {
  initial: TargetDraft;
  /** The id of an existing target. */
  target?: string;
  submitLabel: string;
  pending: boolean;
  error: unknown;
  submit: (input: TargetInput) => void;
  cancel: ReactNode;
}

const NO_ERRORS: FieldError[] = [];
/** Whether an error path such as `policy.rate.limit` is at or below a field. */
const isAtOrBelow = (path: string, field: string) => path === field || path.startsWith(`${field}.`);
const FIELDS = [
  'name',
  'format',
  'url',
  'events',
  'filter',
  'headers',
  'tls',
  'policy',
  'backfill_since',
  'enabled',
];

/** A server error is shown until its field changes. */
function isUnchanged(path: string, sent: TargetInput, now: TargetInput): boolean {
  const [field = '', part = ''] = path.split('.');
  const at = (input: TargetInput): unknown => {
    const value = new Map<string, unknown>(Object.entries(input)).get(field);
    return field === 'policy' ? new Map(Object.entries(input.policy)).get(part) : value;
  };
  return JSON.stringify(at(sent)) === JSON.stringify(at(now));
}

/** The form of a target: what every target needs, and the rest in sections that say how it is set. */
export function TargetForm({
  initial,
  target,
  submitLabel,
  pending,
  error,
  submit,
  cancel,
}: TargetFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(initial);
  const [untouched] = useState(() => JSON.stringify(initial));
  /** How often the user tried to save. */
  const [saveAttempts, setSaveAttempts] = useState(0);
  const { input, errors } = useMemo(() => parseDraft(draft), [draft]);
  const [sent, setSent] = useState(input);
  const serverErrors =
    error instanceof ApiError ? error.fields.filter(({ path }) => isUnchanged(path, sent, input)) : NO_ERRORS;
  const allErrors = [...errors, ...serverErrors];
  const unplacedErrors = serverErrors.filter(({ path }) => !FIELDS.some((field) => isAtOrBelow(path, field)));

  // Focuses the first invalid field after an attempt to save, and expands the sections around all of them.
  useEffect(() => {
    if (saveAttempts === 0 && error === null) return;
    const invalid = [...form.current!.querySelectorAll<HTMLElement>('[aria-invalid=true]')];
    for (const section of form.current!.querySelectorAll('details'))
      if (invalid.some((field) => section.contains(field))) section.open = true;
    invalid[0]?.focus();
  }, [saveAttempts, error]);

  const part: FormPart = {
    draft,
    saveAttempts,
    change: (changes) => setDraft((before) => ({ ...before, ...changes })),
    changePolicy: (changes) =>
      setDraft((before) => ({ ...before, policy: { ...before.policy, ...changes } })),
    errorOf: (path) => allErrors.find((one) => isAtOrBelow(one.path, path))?.message,
  };
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSaveAttempts(saveAttempts + 1);
    setSent(input);
    // Lets empty fields say what is missing.
    const isComplete = event.currentTarget.checkValidity();
    if (isComplete && errors.length === 0) submit(input);
  };
  return (
    <form ref={form} onSubmit={send} noValidate className={classes.form}>
      <LeaveGuard when={JSON.stringify(draft) !== untouched} title="Leave without saving?">
        What you have entered for this target is not saved yet.
      </LeaveGuard>
      <div className={classes.pair}>
        <FormGroup title="Where">
          <RequiredInput
            label="Name"
            missing="Enter a name."
            description="Shown in lists and logs."
            placeholder="Invoices"
            value={draft.name}
            error={part.errorOf('name')}
            onChange={({ currentTarget }) => part.change({ name: currentTarget.value })}
            maxLength={80}
            autoComplete="off"
            data-autofocus
          />
          {target === undefined && <KindField {...part} />}
          {draft.kind === 'http' && (
            <>
              <FormatField {...part} />
              <AddressField {...part} target={target} />
            </>
          )}
        </FormGroup>
        <FormGroup title="What, and in which order">
          {draft.format === 'json' ? (
            <EventsField
              value={draft.events}
              error={part.errorOf('events')}
              change={(events) => part.change({ events })}
            />
          ) : (
            <MessagePreview format={draft.format} />
          )}
          <OrderFields {...part} />
        </FormGroup>
      </div>
      <div className={classes.sections}>
        {draft.format === 'json' && (
          <>
            <FilterSection part={part} input={input} />
            <PreviewField draft={draft} target={target} />
          </>
        )}
        <DeliverySections part={part} input={input} isNew={target === undefined} />
        <AdvancedSections part={part} input={input} />
      </div>
      <div className={classes.last}>
        {error !== null &&
          (!(error instanceof ApiError) || error.fields.length === 0 || unplacedErrors.length > 0) && (
            <ErrorNote error={error} />
          )}
        {saveAttempts > 0 && allErrors.length > 0 && unplacedErrors.length === 0 && (
          <p role="alert">Not saved. Fix the errors marked above.</p>
        )}
        <Group>
          <GuardedButton
            type="submit"
            variant="filled"
            loading={pending}
            because={draft.events.length === 0 && 'Choose at least one event type.'}
          >
            {submitLabel}
          </GuardedButton>
          {cancel}
        </Group>
      </div>
    </form>
  );
}

function FormGroup({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className={classes.group}>
      <legend className={classes.title}>{title}</legend>
      {children}
    </fieldset>
  );
}
