import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The version of the record in each event of an entity, in ms since 1970; -1: the event is unreadable, and says nothing
 * about the entity's state. Null for events that were indexed before.
 */
export class RecordVersions0000000000021 implements MigrationInterface {
  readonly name = 'RecordVersions0000000000021';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event_entities ADD COLUMN version INTEGER');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event_entities DROP COLUMN version');
  }
}
