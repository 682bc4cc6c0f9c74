import { describe, expect, test } from 'vitest'
import { gatherEvidence, scoreColumn } from './evidence.ts'

const row = (name: string, expression: string | null = null) => ({
  name,
  expression,
  identity: '',
  generated: '',
  not_null: 't',
  sequence: null,
})
const trigger = (source: string, more = {}) => ({
  name: 'touch',
  source,
  function: 'f',
  enabled: 'O',
  is_before: 't',
  on_update: 't',
  definition: '',
  ...more,
})

describe('evidence', () => {
  test('a trigger counts when it assigns the column', () => {
    const sets = (source: string, more = {}) =>
      gatherEvidence(row('u'), [trigger(source, more)]).updatedByTrigger
    expect(sets('BEGIN NEW.u = now(); RETURN NEW; END')).toBe(true)
    expect(sets('begin new . "u" := clock_timestamp(); return new; end')).toBe(true)
    expect(sets('BEGIN NEW.u2 := now(); END')).toBe(false)
    expect(sets('BEGIN IF NEW.u < now() THEN RAISE; END IF; END')).toBe(false)
    expect(sets('NEW.u := now()', { enabled: 'D' })).toBe(false)
    expect(sets('NEW.u := now()', { on_update: 'f' })).toBe(false)
    expect(
      sets('moddatetime', { function: 'moddatetime', definition: "EXECUTE FUNCTION moddatetime('u')" }),
    ).toBe(true)
  })

  test.each([
    ["(now() AT TIME ZONE 'utc'::text)", 'utc'],
    ["timezone('Europe/Berlin'::text, now())", 'Europe/Berlin'],
    ["(CURRENT_TIMESTAMP AT TIME ZONE 'UTC'::text)", 'UTC'],
    ['now()', undefined],
    ['LOCALTIMESTAMP', undefined],
    ["'2025-01-01 00:00:00'::timestamp without time zone", undefined],
  ])('the default %s says the zone %s', (expression, zone) => {
    expect(gatherEvidence(row('u', expression), []).zone).toBe(zone)
  })

  test('a trigger beside the default leaves the zone open', () => {
    const expression = "(now() AT TIME ZONE 'utc'::text)"
    expect(gatherEvidence(row('u', expression), [trigger('NEW.u := now()')]).zone).toBeUndefined()
  })
})

test('names that say "changed" score, names that say "created" do not', () => {
  const column = (name: string) =>
    ({
      name,
      nativeType: 'timestamptz',
      type: { name: 'timestamptz' },
      builtin: true,
      nullable: true,
    }) as const
  const none = gatherEvidence(row('x'), [])
  const score = (name: string) => scoreColumn(column(name), 'timestamptz', none, false)
  for (const name of [
    'updated_at',
    'updatedAt',
    'last_update',
    'modified',
    'last_modified_date',
    'changed_on',
    'mtime',
    'UPDATED',
  ]) {
    expect(score(name), name).toBe(60)
  }
  for (const name of ['order_updated_at', 'sysversion', 'price_changed']) expect(score(name), name).toBe(40)
  for (const name of [
    'created_at',
    'createdAt',
    'inserted_at',
    'deleted_at',
    'birthday',
    'due',
    'valid_from',
    'ts',
  ]) {
    expect(score(name), name).toBe(0)
  }
})
