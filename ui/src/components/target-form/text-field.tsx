import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

interface TextFieldProps {
  label: string;
  description: ReactNode;
  value: string;
  error: string | undefined;
  placeholder?: string;
  change: (text: string) => void;
}

/** A number, a length of time or a list, as text: its form is explained, and checked as it is typed. */
export function TextField({ change, ...rest }: TextFieldProps) {
  return (
    <TextInput
      {...rest}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
