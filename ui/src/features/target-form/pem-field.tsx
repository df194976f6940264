import { FileButton, Textarea, Button } from '@mantine/core';
import classes from './fields.module.css';

interface PemFieldProps {
  label: string;
  description: string;
  /** The label of the PEM block. */
  kind: string;
  value: string;
  error: string | undefined;
  change: (pem: string) => void;
}

/** Certificates or a key in PEM, pasted or from a file. */
export function PemField({ label, description, kind, value, error, change }: PemFieldProps) {
  return (
    <div>
      <Textarea
        label={label}
        description={description}
        placeholder={`-----BEGIN ${kind}-----`}
        value={value}
        error={error}
        rows={value === '' ? 2 : 5}
        classNames={{ input: classes.mono }}
        spellCheck={false}
        autoComplete="off"
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
      <FileButton
        onChange={(file) => void file?.text().then(change)}
        inputProps={{ 'aria-label': `${label} file` }}
      >
        {(props) => (
          <Button mt="xs" variant="subtle" {...props} aria-label={`${label}: upload file`}>
            Upload file
          </Button>
        )}
      </FileButton>
    </div>
  );
}
