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

/** A number, a length of time or a list, as text: its form is explained below it, so that fields stand in line. */
export function TextField({ change, ...rest }: TextFieldProps) {
  return (
    <TextInput
      {...rest}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
