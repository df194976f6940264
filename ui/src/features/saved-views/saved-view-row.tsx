import { ActionIcon, Button } from '@mantine/core';
import { IconPencil, IconPin, IconPinFilled, IconStar, IconStarFilled, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { SavedView, SavedViewChange } from '@contract/saved-view';
import { savedViewLink } from '../../search/saved-view-link';
import { setDefaultView, useDefaultView } from './default-views';
import { NameForm } from './name-form';
import classes from './saved-views-menu.module.css';

interface SavedViewRowProps {
  view: SavedView;
  /** Whether the screen shows it. */
  isCurrent: boolean;
  isEditing: boolean;
  mayChange: boolean;
  pending: boolean;
  /** The change that makes it show what the screen shows; undefined if it does. */
  replace: SavedViewChange | undefined;
  /** Edits a view, or none. */
  edit: (id: string | null) => void;
  /** Closes the list. */
  close: () => void;
  change: (changes: SavedViewChange) => void;
  remove: () => void;
}

/** A saved view: a link to it, and what changes it. */
export function SavedViewRow(props: SavedViewRowProps) {
  const { view, isCurrent, isEditing, mayChange, pending, replace, edit, close, change, remove } = props;
  const { id, name, pinned } = view;
  const defaultView = useDefaultView()(savedViewLink(view).to);
  if (isEditing)
    return (
      <li>
        <NameForm
          label="Name"
          initial={name}
          submitLabel="Rename"
          pending={pending}
          submit={(text) => change({ name: text })}
        >
          {replace !== undefined && (
            <Button
              title="Gives this view the filters, columns and times that are shown"
              onClick={() => change(replace)}
            >
              Use what is shown
            </Button>
          )}
          <Button variant="subtle" onClick={() => edit(null)}>
            Cancel
          </Button>
        </NameForm>
      </li>
    );
  const isDefault = defaultView?.id === id;
  const Star = isDefault ? IconStarFilled : IconStar;
  const Pin = pinned ? IconPinFilled : IconPin;
  const inNavigation = pinned ? 'Remove from the navigation' : 'Show in the navigation';
  return (
    <li className={classes.row}>
      <Link
        {...savedViewLink(view)}
        className={classes.link}
        onClick={close}
        {...(isCurrent && { 'aria-current': 'page' })}
      >
        <bdi>{name}</bdi>
      </Link>
      <ActionIcon
        aria-label={`Default: ${name}`}
        aria-pressed={isDefault}
        title={isDefault ? 'Open this screen without a view' : 'Open this screen with it, in this browser'}
        onClick={() => setDefaultView(view, defaultView)}
      >
        <Star size={14} aria-hidden />
      </ActionIcon>
      {mayChange && (
        <>
          <ActionIcon
            aria-label={`Pin ${name}`}
            aria-pressed={pinned}
            title={inNavigation}
            onClick={() => change({ pinned: !pinned })}
          >
            <Pin size={14} aria-hidden />
          </ActionIcon>
          <ActionIcon aria-label={`Edit ${name}`} title="Edit" onClick={() => edit(id)}>
            <IconPencil size={14} aria-hidden />
          </ActionIcon>
          <ActionIcon aria-label={`Delete ${name}`} title="Delete" onClick={remove}>
            <IconTrash size={14} aria-hidden />
          </ActionIcon>
        </>
      )}
    </li>
  );
}
