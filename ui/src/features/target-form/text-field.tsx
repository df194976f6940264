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

/** A text field for a number, duration or list. Its description is below it, so that fields in a row align. */
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
