import type { Random } from '../support/random.ts'

const ids = (random: Random, count: number, max: number): string =>
  Array.from({ length: count }, () => 1 + random.below(max)).join(', ')

/**
 * What happens in the shop between two runs: random rows of many tables, by the stamps of the tables' own triggers. Nothing is
 * deleted and no key changes: a pull run does not see that (PLAN-2).
 */
export function sakilaChanges(random: Random, round: number): string[] {
  const pick = <T>(from: readonly T[]): T => from[random.below(from.length)]!
  const rating = pick(['G', 'PG', 'PG-13', 'R', 'NC-17'])
  const features = pick([
    `'{}'`,
    'NULL',
    `special_features || '{"Behind, the \\"Scenes\\"",NULL}'`,
    `'{Trailers}'`,
  ])
  return [
    `UPDATE film SET rating = '${rating}', special_features = ${features}, release_year = ${1901 + random.below(255)},
       length = nullif(length, 86), fulltext = to_tsvector('english', title || ' round ${round}')
     WHERE film_id IN (${ids(random, 30, 1000)})`,
    `UPDATE film SET rental_rate = ${random.below(9999)} / 100.0, description = description || E'\\n\\t"ä", \\\\N ${round}'
     WHERE film_id IN (${ids(random, 20, 1000)})`,
    `UPDATE customer SET email = nullif(email, ''), activebool = NOT activebool, active = 1 - active,
       create_date = create_date + ${random.below(9000)} WHERE customer_id IN (${ids(random, 25, 599)})`,
    `UPDATE staff SET picture = CASE ${random.below(3)} WHEN 0 THEN NULL WHEN 1 THEN ''::bytea
       ELSE decode(repeat('00ff5c22', ${1 + random.below(5000)}), 'hex') END WHERE staff_id = ${1 + random.below(2)}`,
    `UPDATE address SET address2 = CASE WHEN address2 IS NULL THEN '' END WHERE address_id IN (${ids(random, 20, 603)})`,
    `UPDATE language SET name = 'Language ${round}' WHERE language_id = ${1 + random.below(6)}`,
    `UPDATE rental SET return_date = CASE WHEN return_date IS NULL THEN rental_date + interval '3 days 00:00:00.000001' END
     WHERE rental_id IN (${ids(random, 300, 16049)})`,
    `INSERT INTO actor SELECT 1000 + ${round} * 10 + i, 'FIRST ' || i, '' FROM generate_series(1, 3) i`,
    `INSERT INTO film_actor SELECT 1000 + ${round} * 10 + i, ${1 + random.below(1000)} FROM generate_series(1, 3) i`,
    `UPDATE film_category SET last_update = NULL WHERE film_id IN (${ids(random, 5, 1000)})`,
    `INSERT INTO category VALUES (16 + ${round}, 'Category ${round}')`,
    `INSERT INTO rental SELECT 20000 + ${round} * 100 + i, localtimestamp, 1 + i, 1 + i, NULL, 1 FROM generate_series(1, 50) i`,
    `INSERT INTO payment (customer_id, staff_id, rental_id, amount, payment_date)
     SELECT 1 + i, 1, 20000 + ${round} * 100 + i, i / 100.0, localtimestamp FROM generate_series(1, 50) i`,
  ]
}
