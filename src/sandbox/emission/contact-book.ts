import { pickOne, randomBelow } from '../random';
import { COMPANIES, FIRST_NAMES, LAST_NAMES } from './names';
import type { Contact, Unlinked } from './records';
import type { Registrar } from './registrar';
import { Shelf } from './shelf';

/** What can be said of a contact; what is left out is made up. */
export type ContactFields = Partial<
  Pick<Contact, 'name' | 'company' | 'email' | 'phone' | 'responsible_user_id'>
>;

/** The contacts of the sales floor. */
export class ContactBook {
  readonly shelf: Shelf<Unlinked<Contact>>;

  constructor(
    private readonly registrar: Registrar,
    capacity: number,
  ) {
    this.shelf = new Shelf(registrar.random, capacity);
  }

  /** The contacts there are, oldest first. */
  all(): Contact[] {
    return this.shelf.all().map((contact) => this.linked(contact));
  }

  find(id: number): Contact | undefined {
    const contact = this.shelf.find(id);
    return contact && this.linked(contact);
  }

  /** A known contact; a new one where none is known yet. */
  any(): Contact {
    const contact = this.shelf.pick();
    return contact ? this.linked(contact) : this.meet();
  }

  /** A new contact. */
  meet(fields: ContactFields = {}): Contact {
    return this.linked(this.shelf.put({ ...this.draw(fields.company), ...fields }));
  }

  /** Changes a contact; undefined when there is none with this id. */
  change(id: number, fields: ContactFields): Contact | undefined {
    const contact = this.shelf.find(id);
    return contact && this.linked(this.registrar.amend(contact, fields));
  }

  /** Another user takes over a contact. */
  reassign(): Contact {
    const contact = this.shelf.pick() ?? this.shelf.put(this.draw());
    const user = this.registrar.otherUser(contact.responsible_user_id);
    return this.linked(this.registrar.amend(contact, { responsible_user_id: user }));
  }

  private draw(company: string = pickOne(this.registrar.random, COMPANIES)): Unlinked<Contact> {
    const { random } = this.registrar;
    const id = this.registrar.newId();
    const domain = company.toLowerCase().replace(/[^a-z]+/g, '-');
    return {
      id,
      name: `${pickOne(random, FIRST_NAMES)} ${pickOne(random, LAST_NAMES)}`,
      company,
      email: `contact-${id}@${domain}.example.com`,
      phone: `+1555${String(randomBelow(random, 10_000_000)).padStart(7, '0')}`,
      ...this.registrar.stamps(),
    };
  }

  private linked(contact: Unlinked<Contact>): Contact {
    return this.registrar.link('contacts', contact);
  }
}
