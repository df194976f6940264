import { pickOne, randomBelow } from '../random';
import { LinkedRecords } from './linked-records';
import type { RecordFactory } from './record-factory';
import type { Linked, StoredContact } from './records';
import { COMPANIES, FIRST_NAMES, LAST_NAMES } from './sample-data';

type Contact = Linked<StoredContact>;

/** Fields that may be given for a contact; missing ones are generated. */
type ContactFields = Partial<Omit<StoredContact, 'id' | 'created_at' | 'updated_at'>>;

/** The contacts of the simulated account. */
export class Contacts extends LinkedRecords<StoredContact> {
  constructor(factory: RecordFactory) {
    super('contacts', factory);
  }

  /** A random contact; created if there is none. */
  any(): Contact {
    const contact = this.records.pick();
    return contact ? this.withLink(contact) : this.create();
  }

  create(fields: ContactFields = {}): Contact {
    return this.withLink(this.records.add({ ...this.generate(fields.company), ...fields }));
  }

  /** Undefined if there is no contact with this id. */
  change(id: number, fields: ContactFields): Contact | undefined {
    const contact = this.records.find(id);
    return contact && this.update(contact, fields);
  }

  /** Assigns a random contact to another user. */
  reassignAny(): Contact {
    const contact = this.records.pick() ?? this.records.add(this.generate());
    const user = this.factory.otherUser(contact.responsible_user_id);
    return this.update(contact, { responsible_user_id: user });
  }

  private generate(company: string = pickOne(this.factory.random, COMPANIES)): StoredContact {
    const { random } = this.factory;
    const id = this.factory.newId();
    const domain = company.toLowerCase().replace(/[^a-z]+/g, '-');
    return {
      id,
      name: `${pickOne(random, FIRST_NAMES)} ${pickOne(random, LAST_NAMES)}`,
      company,
      email: `contact-${id}@${domain}.example.com`,
      phone: `+1555${String(randomBelow(random, 10_000_000)).padStart(7, '0')}`,
      ...this.factory.commonFields(),
    };
  }
}
