import { TextInput, type TextInputProps } from '@mantine/core';
import { useSettled } from './use-debounced-text';

interface SettledInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string;
  settle: (text: string) => void;
}

/** A text field that tells its value once typing rests, so that not every letter asks the daemon. */
export function SettledInput({ value, settle, ...rest }: SettledInputProps) {
  const { draft, change, leave } = useSettled(value, settle);
  return (
    <TextInput
      {...rest}
      value={draft}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onBlur={leave}
      onKeyDown={({ key }) => {
        if (key === 'Enter') leave();
      }}
    />
  );
}
