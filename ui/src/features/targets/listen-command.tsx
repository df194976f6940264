import type { Target } from '@contract/target';
import { CopyButton } from '../../components/copy-button';
import { TextBlock } from '../../components/text-block';

/** The command that receives the events of a listener, to copy. */
export function ListenCommand({ target }: { target: Pick<Target, 'name' | 'listener'> }) {
  const to = target.listener?.forward_to ?? 'http://localhost:3000/';
  const hub = `--hub ${window.location.origin}`;
  const command = `switchboard listen ${hub} --name ${quoted(target.name)} --forward-to ${quoted(to)}`;
  return (
    <div>
      <TextBlock label="Command that receives the events">{command}</TextBlock>
      <CopyButton value={command} label="Copy the command" />
    </div>
  );
}

/** For a shell, which then reads nothing else into it. */
const quoted = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
