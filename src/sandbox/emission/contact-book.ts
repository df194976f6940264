import { pickOne, randomBelow } from '../random';
import { COMPANIES, FIRST_NAMES, LAST_NAMES } from './names';
import type { Contact, Unlinked } from './records';
import type { Registrar } from './registrar';
import { Shelf } from './shelf';

/** The contacts of the sales floor. */
export class ContactBook {
  private readonly contacts: Shelf<Unlinked<Contact>>;

  constructor(
    private readonly registrar: Registrar,
    capacity: number,
  ) {
    this.contacts = new Shelf(registrar.random, capacity);
  }

  get crowded(): boolean {
    return this.contacts.crowded;
  }

  /** A known contact; a new one where none is known yet. */
  any(): Unlinked<Contact> {
    return this.contacts.pick() ?? this.meet();
  }

  /** A new contact. */
  meet(): Unlinked<Contact> {
    const { random } = this.registrar;
    const id = this.registrar.newId();
    const company = pickOne(random, COMPANIES);
    return this.contacts.put({
      id,
      name: `${pickOne(random, FIRST_NAMES)} ${pickOne(random, LAST_NAMES)}`,
      company,
      email: `contact-${id}@${company.toLowerCase().replace(/[^a-z]+/g, '-')}.example.com`,
      phone: `+1555${String(randomBelow(random, 10_000_000)).padStart(7, '0')}`,
      ...this.registrar.stamps(),
    });
  }

  /** Another user takes over a contact. */
  reassign(): Unlinked<Contact> {
    const contact = this.any();
    const user = this.registrar.otherUser(contact.responsible_user_id);
    return this.registrar.amend(contact, { responsible_user_id: user });
  }
}
