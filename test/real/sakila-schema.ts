import type { StreamSettings } from '../../src/extract/index.ts'
import { streamSettings } from '../support/engine.ts'

/** The tables of the public Sakila for PostgreSQL: columns with their types, and the key. */
const TABLES = {
  language: ['language_id int, name char(20) NOT NULL', 'language_id'],
  country: ['country_id int, country text NOT NULL', 'country_id'],
  city: ['city_id int, city text NOT NULL, country_id smallint NOT NULL', 'city_id'],
  address: [
    `address_id int, address text NOT NULL, address2 text, district text NOT NULL, city_id smallint NOT NULL,
     postal_code text, phone text NOT NULL`,
    'address_id',
  ],
  actor: ['actor_id int, first_name text NOT NULL, last_name text NOT NULL', 'actor_id'],
  staff: [
    `staff_id int, first_name text NOT NULL, last_name text NOT NULL, address_id smallint NOT NULL, email text,
     store_id smallint NOT NULL, active boolean NOT NULL DEFAULT true, username text NOT NULL, password text, picture bytea`,
    'staff_id',
  ],
  store: ['store_id int, manager_staff_id smallint NOT NULL, address_id smallint NOT NULL', 'store_id'],
  category: ['category_id int, name text NOT NULL', 'category_id'],
  film: [
    `film_id int, title text NOT NULL, description text, release_year year, language_id smallint NOT NULL,
     original_language_id smallint, rental_duration smallint NOT NULL DEFAULT 3, rental_rate numeric(4,2) NOT NULL DEFAULT 4.99,
     length smallint, replacement_cost numeric(5,2) NOT NULL DEFAULT 19.99, rating mpaa_rating DEFAULT 'G',
     special_features text[], fulltext tsvector NOT NULL`,
    'film_id',
  ],
  inventory: ['inventory_id int, film_id smallint NOT NULL, store_id smallint NOT NULL', 'inventory_id'],
  film_actor: ['actor_id smallint, film_id smallint', 'actor_id, film_id'],
  film_category: ['film_id smallint, category_id smallint', 'film_id, category_id'],
  customer: [
    `customer_id int, store_id smallint NOT NULL, first_name text NOT NULL, last_name text NOT NULL, email text,
     address_id smallint NOT NULL, activebool boolean NOT NULL DEFAULT true, create_date date NOT NULL DEFAULT current_date,
     active int`,
    'customer_id',
  ],
  rental: [
    `rental_id int, rental_date timestamp NOT NULL, inventory_id int NOT NULL, customer_id smallint NOT NULL,
     return_date timestamp, staff_id smallint NOT NULL`,
    'rental_id',
  ],
  payment: [
    `payment_id serial, customer_id smallint NOT NULL, staff_id smallint NOT NULL, rental_id int NOT NULL,
     amount numeric(5,2) NOT NULL, payment_date timestamp NOT NULL`,
    'payment_id',
  ],
} as const

export const SAKILA_TABLES = Object.keys(TABLES)

/** The only table without `last_update`: rows are added to it and never changed. */
const isAppended = (table: string): boolean => table === 'payment'

export const SAKILA_SCHEMA = `
  CREATE TYPE mpaa_rating AS ENUM ('G', 'PG', 'PG-13', 'R', 'NC-17');
  CREATE DOMAIN year AS integer CHECK (VALUE >= 1901 AND VALUE <= 2155);
  CREATE FUNCTION last_updated() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.last_update = CURRENT_TIMESTAMP; RETURN NEW; END $$;
  ${Object.entries(TABLES)
    .map(([name, [columns, key]]) => {
      const stamp = isAppended(name) ? '' : 'last_update timestamp NOT NULL DEFAULT now(), '
      return `CREATE TABLE ${name} (${columns}, ${stamp}PRIMARY KEY (${key}));`
    })
    .join('\n')}`

/** After the rows are loaded: the triggers, and an index on each position column. */
export const SAKILA_TRIGGERS = [
  ...SAKILA_TABLES.filter((table) => !isAppended(table)).map(
    (table) => `CREATE INDEX ON ${table} (last_update);
    CREATE TRIGGER last_updated BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION last_updated();`,
  ),
  `SELECT setval('payment_payment_id_seq', (SELECT max(payment_id) FROM payment))`,
].join('\n')

/** `last_update` is a wall time of the sessions' zone, UTC here; payments are followed by their sequence. */
export function sakilaStreams(): StreamSettings[] {
  return SAKILA_TABLES.map((table) =>
    streamSettings(
      `public.${table}`,
      isAppended(table)
        ? {
            position: { column: 'payment_id', flavour: 'sequence', stampedBy: 'database' },
            appendOnly: true,
            fence: { appendOnly: true },
          }
        : { position: { column: 'last_update', zone: 'UTC', grain: 1n, stampedBy: 'database' } },
    ),
  )
}
