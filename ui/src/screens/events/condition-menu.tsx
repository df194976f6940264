import { Button, NativeSelect, Popover, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useId, useState, type FormEvent } from 'react';
import type { EventSummary } from '@contract/event';
import { OPERATOR_LABELS, parseValue, type PayloadCondition } from '../../search/payload-conditions';
import classes from './columns-menu.module.css';
import { usePayloadFields } from './use-payload-fields';

interface ConditionMenuProps {
  /** The events whose fields are offered. */
  rows: readonly EventSummary[];
  add: (condition: PayloadCondition) => void;
}

/** Adds a condition on a field of the payload. */
export function ConditionMenu({ rows, add }: ConditionMenuProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  return (
    <Popover
      opened={opened}
      onChange={close}
      trapFocus
      returnFocus
      position="bottom-start"
      width={320}
      shadow="md"
      portalProps={{ target: '#main' }}
    >
      <Popover.Target>
        <Button size="compact-sm" leftSection={<IconPlus size={14} aria-hidden />} onClick={toggle}>
          Payload condition
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Payload condition" className={classes.dropdown}>
        <ConditionForm
          rows={rows}
          add={(condition) => {
            close();
            add(condition);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function ConditionForm({ rows, add }: ConditionMenuProps) {
  const list = useId();
  const fields = usePayloadFields(rows, true);
  const [{ path, operator, text }, setDraft] = useState({ path: '', operator: '$eq', text: '' });
  const draft = { path, operator, text };
  const takesValue = operator !== '$exists';
  const [error, setError] = useState<string>();
  const sample = fields.find((field) => field.path === path.trim())?.sample;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (path.trim() === '') setError('Name a field, such as data.price.');
    else add({ path: path.trim(), operator, value: takesValue ? parseValue(text) : true });
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <TextInput
        label="Field"
        placeholder="data.price"
        list={list}
        autoComplete="off"
        error={error}
        value={path}
        onChange={({ currentTarget }) => setDraft({ ...draft, path: currentTarget.value })}
      />
      <datalist id={list}>
        {fields.map((field) => (
          <option key={field.path} value={field.path}>
            {field.sample}
          </option>
        ))}
      </datalist>
      <NativeSelect
        label="Condition"
        data={Object.entries(OPERATOR_LABELS).map(([value, label]) => ({ value, label }))}
        value={operator}
        onChange={({ currentTarget }) => setDraft({ ...draft, operator: currentTarget.value })}
      />
      {takesValue && (
        <TextInput
          label="Value"
          description="Numbers, true, false and null as such; in quotes, they are text."
          placeholder={sample}
          autoComplete="off"
          value={text}
          onChange={({ currentTarget }) => setDraft({ ...draft, text: currentTarget.value })}
        />
      )}
      <Button type="submit" variant="filled">
        Add condition
      </Button>
    </form>
  );
}
