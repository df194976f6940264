import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

/** A text field that must not be empty. After an attempt to save, it says what is missing. */
export function RequiredInput({ missing, error, ...rest }: TextInputProps & { missing: string }) {
  const [wasChecked, setChecked] = useState(false);
  return (
    <TextInput
      {...rest}
      required
      error={wasChecked && rest.value === '' ? missing : error}
      onInvalid={() => setChecked(true)}
    />
  );
}
