import { Button, Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useId, useState, type SubmitEvent } from 'react';
import type { Scope } from '../../../../src/contract/token';
import type { TokenDraft } from '../../api/tokens';
import { ErrorNote } from '../../components/error-note';
import { SCOPE_LABELS } from '../../labels/scope-labels';
import classes from './token-form.module.css';

const DAY_MS = 86_400_000;

/** Days; 0: for good. */
const LIVES = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: '0', label: 'Never' },
];

const isScope = (text: string): text is Scope => text in SCOPE_LABELS;

interface TokenFormProps {
  pending: boolean;
  error: unknown;
  submit: (draft: TokenDraft) => void;
  leave: () => void;
}

/** A token's name, what it may do, and how long. */
export function TokenForm({ pending, error, submit, leave }: TokenFormProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<Scope[]>(['read']);
  const [days, setDays] = useState('90');
  const label = useId();
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const life = Number(days) * DAY_MS;
    const end = life === 0 ? null : new Date(Date.now() + life).toISOString();
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
        <Checkbox.Group value={scopes} onChange={(chosen) => setScopes(chosen.filter(isScope))}>
          <div className={classes.choices}>
            {Object.entries(SCOPE_LABELS).map(([scope, meaning]) => (
              <Checkbox
                key={scope}
                value={scope}
                label={<span className={classes.scope}>{scope}</span>}
                description={meaning}
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
        data={LIVES}
        value={days}
        onChange={({ currentTarget }) => setDays(currentTarget.value)}
      />
      {error !== null && <ErrorNote error={error} />}
      <Group justify="flex-end">
        <Button onClick={leave}>Cancel</Button>
        <Button
          type="submit"
          variant="filled"
          loading={pending}
          disabled={scopes.length === 0 || name.trim() === ''}
        >
          Create token
        </Button>
      </Group>
    </form>
  );
}
