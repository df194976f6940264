import { Button, NativeSelect, Popover, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { payloadFieldsQuery } from '../../api/targets';
import {
  isBuilderOperator,
  operatorChoices,
  takesValue,
} from '../target-form/filter-builder/builder-operators';
import { newCondition, type ConditionDraft } from '../target-form/filter-builder/filter-draft';
import { FormPopover } from '../../components/form-popover';
import classes from './columns-menu.module.css';

const ANY_TYPE = ['*'];

interface ConditionMenuProps {
  /** The types of the events whose fields are offered. */
  types: string[] | undefined;
  /** Whether its conditions are for events, or for values only. */
  of: 'events' | 'values';
  add: (condition: ConditionDraft) => void;
}

/** Adds a condition on a field of the payload. */
export function ConditionMenu({ types, of, add }: ConditionMenuProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  return (
    <FormPopover opened={opened} onChange={close} position="bottom-start" width={320}>
      <Popover.Target>
        <Button
          aria-label="Payload condition"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={toggle}
        >
          Payload
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Payload condition" className={classes.dropdown}>
        <ConditionForm
          types={types}
          of={of}
          add={(condition) => {
            close();
            add(condition);
          }}
        />
      </Popover.Dropdown>
    </FormPopover>
  );
}

function ConditionForm({ types, of, add }: ConditionMenuProps) {
  const list = useId();
  const { data } = useQuery(payloadFieldsQuery(types ?? ANY_TYPE));
  const [draft, setDraft] = useState(newCondition);
  const [errors, setErrors] = useState<{ path?: string; value?: string }>({});
  const { path, operator, value } = draft;
  const sample = data?.fields.find((field) => field.path === path.trim())?.samples[0];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = {
      ...(path.trim() === '' && { path: 'Name a field, such as data.price.' }),
      ...(takesValue(operator) && value.trim() === '' && { value: 'Enter a value; "" is an empty text.' }),
    };
    setErrors(found);
    if (Object.keys(found).length === 0) add({ ...draft, path: path.trim() });
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <TextInput
        label="Field"
        placeholder="data.price"
        list={list}
        autoComplete="off"
        error={errors.path}
        value={path}
        onChange={({ currentTarget }) => setDraft({ ...draft, path: currentTarget.value })}
      />
      <datalist id={list}>
        {data?.fields.map((field) => (
          <option key={field.path} value={field.path}>
            {field.samples.slice(0, 2).map(String).join(', ')}
          </option>
        ))}
      </datalist>
      <NativeSelect
        label="Condition"
        data={operatorChoices(of)}
        value={operator}
        onChange={({ currentTarget: { value: chosen } }) => {
          if (isBuilderOperator(chosen)) setDraft({ ...draft, operator: chosen });
        }}
      />
      {takesValue(operator) && (
        <TextInput
          label="Value"
          description='Put text in quotes to match "42" rather than 42.'
          placeholder={sample === undefined ? '' : String(sample)}
          autoComplete="off"
          error={errors.value}
          value={value}
          onChange={({ currentTarget }) => setDraft({ ...draft, value: currentTarget.value })}
        />
      )}
      <Button type="submit" variant="filled">
        Add condition
      </Button>
    </form>
  );
}
