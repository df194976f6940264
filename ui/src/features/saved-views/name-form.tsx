import { Group, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ActionButton } from '../../components/action-button';

interface NameFormProps {
  label: string;
  initial: string;
  submitLabel: string;
  pending: boolean;
  submit: (name: string) => void;
  /** Further buttons. */
  children?: ReactNode;
}

/** Asks for the name of a saved view. */
export function NameForm({ label, initial, submitLabel, pending, submit, children }: NameFormProps) {
  const [name, setName] = useState(initial);
  const field = useRef<HTMLInputElement>(null);
  // `data-autofocus` works only while the menu opens.
  useEffect(() => field.current?.focus(), []);
  const send = () => {
    if (name.trim() !== '' && !pending) submit(name.trim());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <TextInput
        ref={field}
        label={label}
        maxLength={60}
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Group gap="sm" mt="sm">
        <ActionButton because={name.trim() === '' && 'Enter a name.'} pending={pending} action={send}>
          {submitLabel}
        </ActionButton>
        {children}
      </Group>
    </form>
  );
}
