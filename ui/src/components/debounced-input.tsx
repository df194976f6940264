import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedText } from './use-debounced-text';

interface DebouncedInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string;
  onSettle: (text: string) => void;
}

/** A text field that reports its value when typing pauses, so that not every key sends a request. */
export function DebouncedInput({ value, onSettle, ...rest }: DebouncedInputProps) {
  const { draft, change, commitNow } = useDebouncedText(value, onSettle);
  return (
    <TextInput
      {...rest}
      value={draft}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onBlur={commitNow}
      onKeyDown={({ key }) => {
        if (key === 'Enter') commitNow();
      }}
    />
  );
}
