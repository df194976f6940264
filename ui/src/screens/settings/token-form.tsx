import { Button, Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useId, useState, type SubmitEvent } from 'react';
import type { Scope } from '@contract/token';
import type { TokenDraft } from '../../api/tokens';
import { GuardedButton } from '../../components/guarded-button';
import { ErrorNote } from '../../components/error-note';
import { SCOPE_LABELS } from '../../labels/scope-labels';
import classes from './token-form.module.css';

const DAY_MS = 86_400_000;

/** In days; 0 means that the token does not expire. */
const LIFETIMES = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: '0', label: 'Never' },
];

const isScope = (text: string): text is Scope => text in SCOPE_LABELS;

export type TokenUse = Pick<TokenDraft, 'name' | 'scopes'>;

interface TokenFormProps {
  initial: TokenUse;
  pending: boolean;
  error: unknown;
  submit: (draft: TokenDraft) => void;
  cancel: () => void;
}

/** The name, scopes and lifetime of a new token. */
export function TokenForm({ initial, pending, error, submit, cancel }: TokenFormProps) {
  const [name, setName] = useState(initial.name);
  const [scopes, setScopes] = useState<Scope[]>(initial.scopes);
  const [days, setDays] = useState('90');
  const label = useId();
  const missing = name.trim() === '' ? 'Enter a name.' : scopes.length === 0 && 'Select at least one scope.';
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (missing !== false) return;
    const lifetimeMs = Number(days) * DAY_MS;
    const end = lifetimeMs === 0 ? null : new Date(Date.now() + lifetimeMs).toISOString();
    submit({ name: name.trim(), scopes, expires_at: end });
  };
  return (
    <form className={classes.form} onSubmit={send}>
      <TextInput
        label="Name"
        description="Who or what uses it. Shown in the audit log."
        placeholder="Nightly export"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        required
        maxLength={100}
        autoComplete="off"
        data-autofocus
      />
      <fieldset className={classes.scopes} aria-labelledby={label}>
        <legend id={label} className={classes.legend}>
          Scopes
        </legend>
        <Checkbox.Group value={scopes} onChange={(names) => setScopes(names.filter(isScope))}>
          <div className={classes.choices}>
            {Object.entries(SCOPE_LABELS).map(([scope, description]) => (
              <Checkbox
                key={scope}
                value={scope}
                label={<span className={classes.scope}>{scope}</span>}
                description={description}
              />
            ))}
          </div>
        </Checkbox.Group>
        {scopes.length === 0 && <p className={classes.missing}>Select at least one.</p>}
      </fieldset>
      <NativeSelect
        label="Expires"
        description="Stops working on this date."
        size="sm"
        data={LIFETIMES}
        value={days}
        onChange={({ currentTarget }) => setDays(currentTarget.value)}
      />
      {error !== null && <ErrorNote error={error} />}
      <Group justify="flex-end">
        <Button onClick={cancel}>Cancel</Button>
        <GuardedButton type="submit" needs="admin" variant="filled" loading={pending} because={missing}>
          Create token
        </GuardedButton>
      </Group>
    </form>
  );
}
