import { Link } from '@tanstack/react-router';
import note from '../../components/note.module.css';
import { useNow } from '../../components/use-now';
import { describeTrouble } from '../../labels/response-labels';
import { useTargets } from './use-targets';

/** Says before something is sent to targets which of them would refuse or delay it. */
export function TroubleNotes({ targets: ids }: { targets: readonly string[] }) {
  const now = useNow();
  const { data: targets = [] } = useTargets();
  const notes = targets.flatMap((target) => {
    const trouble = ids.includes(target.id) ? describeTrouble(target, now) : null;
    return trouble === null ? [] : [{ ...target, trouble }];
  });
  if (notes.length === 0) return null;
  return (
    <ul className={note.note} data-tone="bad" aria-label="Targets with problems">
      {notes.map(({ id, name, trouble }) => (
        <li key={id}>
          <Link to="/targets/$id" params={{ id }}>
            {name}
          </Link>
          : {trouble}
        </li>
      ))}
    </ul>
  );
}
